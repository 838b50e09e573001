//! The shaders in the data of a pipeline cache: `struct radv_shader_binary_legacy` of Mesa 25.0.7.

use afterimage_gcn_corpus::Shader;
use afterimage_gcn_corpus::compiled::UserData;

/// Bytes of the data's header: Vulkan's, and RADV's number of entries.
const HEADER: usize = 36;
/// `config`, thirteen words.
const CONFIG: usize = 4;
/// `info.inline_push_constant_mask`.
const PUSH_MASK: usize = 56;
/// `info.desc_set_used_mask`.
const SETS_USED: usize = 68;
/// `info.wave_size`.
const WAVE: usize = 75;
/// `info.user_sgprs_locs`: pairs of bytes, first SGPR (255: none) and number.
const LOCATIONS: usize = 80;
/// Descriptor sets in that table.
const SETS: usize = 32;
/// Other values in that table.
const VALUES: usize = 26;

/// `info.outinfo.vs_output_param_offset` of `VARYING_SLOT_VAR0` and what follows.
const PARAMETERS: usize = 0xd8 + 32;
/// `info.stage`.
const STAGE: usize = 0x134;
/// `info.type`, and its value of a copy shader.
const KIND: usize = 0x13c;
const COPY: u32 = 1;
/// `info.user_data_0`: the register of the first user SGPR.
const FIRST_USER: usize = 0x140;
/// `info.ps.input_mask`, `float32_shaded_mask`, `explicit_shaded_mask` and `explicit_strict_shaded_mask`.
const INPUTS: usize = 0x2d8;
const SMOOTH: usize = 0x2e0;
const EXPLICIT: [usize; 2] = [0x2e4, 0x2e8];
/// `info.regs`: where the code's address goes, where RSRC1 and RSRC2 go, then values.
const REGISTERS: usize = 0x3e0;
/// Bytes of a unit of `config.lds_size`.
const LDS_BLOCK: u32 = 512;
/// `s_code_end`, which RADV puts behind the code.
const CODE_END: u32 = 0xbf9f_0000;

/// Mesa's stages in the order of `gl_shader_stage`, as our files are called.
const STAGES: [&str; 6] = ["vert", "tesc", "tese", "geom", "frag", "comp"];

/// Hardware stages: name, register of the first user SGPR, registers of RSRC1 and RSRC2.
const HARDWARE: [(&str, u32, [u32; 2]); 7] = [
    ("ps", 0xb030, [0xb028, 0xb02c]),
    ("vs", 0xb130, [0xb128, 0xb12c]),
    ("gs", 0xb230, [0xb228, 0xb22c]),
    ("es", 0xb330, [0xb328, 0xb32c]),
    ("hs", 0xb430, [0xb428, 0xb42c]),
    ("ls", 0xb530, [0xb528, 0xb52c]),
    ("cs", 0xb900, [0xb848, 0xb84c]),
];

/// Registers whose values are known: of which stages, their names and where they are.
#[expect(clippy::type_complexity, reason = "a table")]
const REGISTERS_OF: &[(&[&str], &[(&str, usize)])] = &[
    (
        &["ps"],
        &[
            ("db_shader_control", 0x444),
            ("ps_in_control", 0x44c),
            ("z_format", 0x450),
            ("col_format", 0x31c),
            ("cb_shader_mask", 0x320),
        ],
    ),
    (
        &["gs"],
        &[
            ("esgs_ring_itemsize", 0x3fc),
            ("gs_instance_cnt", 0x400),
            ("gs_vert_itemsize", 0x408),
            ("gs_vert_itemsize_1", 0x40c),
            ("gs_vert_itemsize_2", 0x410),
            ("gs_vert_itemsize_3", 0x414),
            ("gsvs_ring_itemsize", 0x418),
            ("gsvs_ring_offset_1", 0x41c),
            ("gsvs_ring_offset_2", 0x420),
            ("gsvs_ring_offset_3", 0x424),
            ("gs_max_vert_out", 0x46c),
        ],
    ),
    (&["vs"], &[("vs_out_cntl", 0x480), ("vs_out_config", 0x484), ("pos_format", 0x488)]),
];

/// User SGPRs by their number in `enum radv_ud_index`: of which stages (all if none), and what we call them.
const NAMES: &[(usize, &[&str], &str)] = &[
    (0, &[], "ring_offsets"),
    (1, &[], "push"),
    (2, &[], "inline_push"),
    (3, &[], "indirect_sets"),
    (4, &[], "view_index"),
    (5, &[], "streamout_buffers"),
    (18, &["cs"], "groups"),
    (18, &["vs", "es", "ls"], "vertex_buffers"),
    (19, &["vs", "es", "ls"], "vertex_offsets"),
    (22, &["ps"], "ps_state"),
];

/// A shader of the cache.
pub(super) struct Entry<'a> {
    bytes: &'a [u8],
    /// Where the code begins, the bytes of it that are instructions, and all its bytes.
    code: (usize, usize, usize),
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    u32::from_le_bytes(word.unwrap_or_default())
}

/// All shaders.
///
/// # Errors
/// When the data is not laid out as expected.
pub(super) fn entries(cache: &[u8]) -> Result<Vec<Entry<'_>>, String> {
    let mut at = HEADER;
    let mut out = Vec::new();
    for _ in 0..word(cache, HEADER - 4) {
        at = at.next_multiple_of(4);
        let [key, size] = [4, 8].map(|field| word(cache, at + field) as usize);
        at = (at + 12 + key).next_multiple_of(8);
        let bytes = cache.get(at..at + size).ok_or("an entry of the cache goes beyond its end")?;
        out.extend(Entry::new(bytes));
        at += size;
    }
    if out.is_empty() { Err(format!("no shader is in the cache's {} bytes", cache.len())) } else { Ok(out) }
}

impl<'a> Entry<'a> {
    /// Finds the end of the fixed part: its word with the size of everything, then code, instructions, IR, text, statistics.
    fn new(bytes: &'a [u8]) -> Option<Entry<'a>> {
        let first = LOCATIONS + 2 * (SETS + VALUES);
        for at in (first..bytes.len().min(4096)).step_by(4) {
            if word(bytes, at) as usize != bytes.len() {
                continue;
            }
            for at in [at + 4, at + 8] {
                let [code, executed, ir, text, statistics] =
                    [0, 4, 8, 12, 16].map(|field| word(bytes, at + field) as usize);
                if ir != 0 || text != 0 || code == 0 || executed > code || code % 4 != 0 {
                    continue;
                }
                let data =
                    [24, 28].map(|header| at + header).into_iter().find(|data| data + statistics + code == bytes.len());
                if let Some(data) = data {
                    return Some(Entry { bytes, code: (data + statistics, executed, code) });
                }
            }
        }
        None
    }

    /// The words of its instructions, and those behind them.
    pub(super) fn code(&self) -> (Vec<u32>, Vec<u32>) {
        let (at, executed, all) = self.code;
        let words = |from: usize, to: usize| (at + from..at + to).step_by(4).map(|at| word(self.bytes, at)).collect();
        let mut behind: Vec<u32> = words(executed, all);
        while behind.last() == Some(&CODE_END) {
            behind.pop();
        }
        (words(0, executed), behind)
    }

    /// All but the listing.
    ///
    /// # Errors
    /// When the entry contradicts itself.
    pub(super) fn shader(&self) -> Result<Shader, String> {
        let read = |at| word(self.bytes, at);
        let [lds, ena, addr, _, scratch, rsrc1, rsrc2] = [5, 6, 7, 8, 9, 10, 11].map(|at| read(CONFIG + 4 * at));
        if self.bytes[WAVE] != 64 {
            return Err(format!("a wave has {} lanes", self.bytes[WAVE]));
        }
        let first = read(FIRST_USER);
        let (stage, _, rsrc) = *HARDWARE
            .iter()
            .find(|row| row.1 == first)
            .ok_or_else(|| format!("no stage has user data at {first:#x}"))?;
        if [read(REGISTERS + 4), read(REGISTERS + 8)] != rsrc {
            return Err(format!("the registers of {stage} are not where they should be"));
        }
        let from = match read(KIND) {
            COPY => "copy",
            _ => *STAGES.get(read(STAGE) as usize).ok_or("there is no such stage")?,
        };
        let mut registers = vec![("rsrc1".to_owned(), rsrc1), ("rsrc2".to_owned(), rsrc2)];
        for (name, at) in REGISTERS_OF.iter().filter(|row| row.0.contains(&stage)).flat_map(|row| row.1) {
            registers.push(((*name).to_owned(), read(*at)));
        }
        if stage == "ps" {
            registers.push(("ps_input_ena".to_owned(), ena));
            registers.push(("ps_input_addr".to_owned(), addr));
        }
        let location = |at: usize| {
            let [first, count] = [0, 1].map(|byte| u32::from(self.bytes[LOCATIONS + 2 * at + byte]));
            (first < 16 && count != 0).then_some((first, count))
        };
        let mut user = Vec::new();
        for set in (0..SETS).filter(|set| read(SETS_USED) >> set & 1 != 0) {
            user.extend(location(set).map(|(first, count)| UserData { value: format!("set{set}"), first, count }));
        }
        for value in 0..VALUES {
            let Some((first, count)) = location(SETS + value) else { continue };
            let named = NAMES.iter().find(|row| row.0 == value && (row.1.is_empty() || row.1.contains(&stage)));
            let name = named.ok_or_else(|| format!("user data {value} of {stage} has no name"))?.2;
            user.push(UserData { value: name.to_owned(), first, count });
        }
        user.sort_by_key(|data| data.first);
        let [low, high] = [0, 4].map(|half| u64::from(read(PUSH_MASK + half)));
        let inline = user.iter().any(|data| data.value == "inline_push");
        Ok(Shader {
            stage: stage.to_owned(),
            from: from.to_owned(),
            registers,
            lds: lds * LDS_BLOCK,
            scratch,
            user,
            inline_push: if inline { low | high << 32 } else { 0 },
            ..Shader::default()
        })
    }

    /// The parameter that the last stage before rasterisation exports each generic varying as, 255 for none.
    pub(super) fn parameters(&self) -> &[u8] {
        &self.bytes[PARAMETERS..PARAMETERS + 32]
    }

    /// `SPI_PS_INPUT_CNTL_n` of a pixel shader, as RADV sets them when the stage before exports `parameters`.
    pub(super) fn inputs(&self, parameters: &[u8]) -> Vec<(String, u32)> {
        /// `FLAT_SHADE`.
        const FLAT: u32 = 1 << 10;
        /// `OFFSET` of a parameter that is not exported: the default value.
        const DEFAULT: u32 = 0x20;
        /// With `FLAT_SHADE` the same bit has what vertices have passed through as it is.
        const PASSED: u32 = 0x20;
        let [mask, smooth] = [INPUTS, SMOOTH].map(|at| word(self.bytes, at));
        let explicit = EXPLICIT.iter().fold(0, |all, &at| all | word(self.bytes, at));
        let slots = (0..32).filter(|slot| mask >> slot & 1 != 0);
        let value = |(at, slot): (usize, usize)| {
            let kind = match (smooth >> at & 1, explicit >> at & 1) {
                (_, 1) => FLAT | PASSED,
                (0, _) => FLAT,
                _ => 0,
            };
            // The default has no other bits, for with them it is a parameter.
            let parameter = parameters.get(slot).copied().filter(|parameter| *parameter < 32);
            let value = parameter.map_or(DEFAULT, |parameter| u32::from(parameter) | kind);
            (format!("ps_input_cntl_{at}"), value)
        };
        slots.enumerate().map(value).collect()
    }
}
