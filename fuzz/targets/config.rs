//! Files of configuration: any text is read, and what is accepted can be written and read again.
#![no_main]

use afterimage_config::{OPTIONS, Settings, parse};
use std::path::Path;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (entries, mistakes) = parse(&text);
    assert!(mistakes.iter().all(|mistake| mistake.line > 0 && !mistake.what.contains('\n')));
    for entry in &entries {
        let (again, none) = parse(&format!("{} = \"{}\"\n", OPTIONS[entry.option].name, entry.value));
        assert!(none.is_empty());
        assert_eq!(again[0].value, entry.value);
    }
    let settings = Settings::of_text("Game.exe", Path::new("afterimage.conf"), &text);
    assert!(settings.changed().count() <= entries.len());
    assert!(!settings.to_string().is_empty());
});
