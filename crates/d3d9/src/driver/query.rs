//! Queries.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::QueryId;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::{BeginQuery, CreateQuery, EndQuery, QueryKind};
use afterimage_stream::{ObjectId, ObjectKind};

/// What a query answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueryData {
    /// `BOOL` results.
    Word(u32),
    /// `DWORD` and `UINT64` results: a program that asks for more than [`Device::query_size`] gets up to eight bytes.
    Long(u64),
    /// `D3DDEVINFO_D3DVERTEXSTATS`.
    Vertices(D3DDEVINFO_D3DVERTEXSTATS),
    /// `D3DDEVINFO_VCACHE`.
    Cache(D3DDEVINFO_VCACHE),
}

impl QueryData {
    /// Bytes as `GetData` copies them, as many as the program asks for.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        let words = match self {
            Self::Word(value) => [value, 0, 0, 0],
            Self::Long(value) => [value as u32, (value >> 32) as u32, 0, 0],
            Self::Vertices(stats) => [stats.NumRenderedTriangles, stats.NumExtraClippingTriangles, 0, 0],
            Self::Cache(cache) => [cache.Pattern, cache.OptMethod, cache.CacheSize, cache.MagicNumber],
        };
        let mut bytes = [0; 16];
        for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// What optimisers of meshes are told: that order matters to a cache of 16 vertices, which every device since has at least.
/// The pattern says that the rest is there; a method of 1 is a cache's, and the last number weighs it against strips.
const CACHE: D3DDEVINFO_VCACHE =
    D3DDEVINFO_VCACHE { Pattern: fourcc(*b"CACH"), OptMethod: 1, CacheSize: 16, MagicNumber: 8 };

/// What Direct3D answers for a query that was never issued.
const UNISSUED: u64 = 0xdddd_dddd_dddd_dddd;

/// Where a query is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Never issued, or begun again by a kind that only ends.
    Idle,
    /// Between begin and end.
    Open,
    /// Ended: the answer comes under this token.
    Ended(u64),
    /// Answered.
    Done(u64),
}

/// A query.
#[derive(Debug)]
pub(crate) struct Query {
    /// Its object in the stream; none for kinds that we answer ourselves.
    pub(crate) id: ObjectId,
    kind: D3DQUERYTYPE,
    stage: Stage,
}

impl Query {
    pub(crate) fn token(&self) -> Option<u64> {
        match self.stage {
            Stage::Ended(token) => Some(token),
            _ => None,
        }
    }
}

fn stream_kind(kind: D3DQUERYTYPE) -> Option<QueryKind> {
    match kind {
        D3DQUERYTYPE_EVENT => Some(QueryKind::Event),
        D3DQUERYTYPE_OCCLUSION => Some(QueryKind::Occlusion),
        D3DQUERYTYPE_TIMESTAMP => Some(QueryKind::Timestamp),
        D3DQUERYTYPE_VERTEXSTATS => Some(QueryKind::Primitives),
        _ => None,
    }
}

impl Device {
    /// Whether `CreateQuery` would succeed, and the size of the answer in bytes. Vertex statistics are there where the device
    /// counts them; what asks for insides of a driver (timings, use of caches, its manager of resources) is not.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] for kinds that are not supported.
    pub fn query_size(&self, kind: D3DQUERYTYPE) -> Result<u32> {
        match kind {
            D3DQUERYTYPE_VCACHE => Ok(16),
            D3DQUERYTYPE_VERTEXSTATS if self.port.device().pipeline_statistics != 0 => Ok(8),
            D3DQUERYTYPE_EVENT | D3DQUERYTYPE_OCCLUSION | D3DQUERYTYPE_TIMESTAMPDISJOINT => Ok(4),
            D3DQUERYTYPE_TIMESTAMP | D3DQUERYTYPE_TIMESTAMPFREQ => Ok(8),
            _ => Err(Error::NotAvailable),
        }
    }

    /// `CreateQuery`.
    ///
    /// # Errors
    /// As [`Device::query_size`].
    pub fn create_query(&mut self, kind: D3DQUERYTYPE) -> Result<QueryId> {
        self.query_size(kind)?;
        let id = match stream_kind(kind) {
            Some(_) => self.port.allocate(ObjectKind::Query)?,
            None => ObjectId::NONE,
        };
        let query = self.objects.queries.insert(Query { id, kind, stage: Stage::Idle }, true);
        self.create_query_object(query);
        Ok(query)
    }

    /// Creates a query in the stream.
    pub(crate) fn create_query_object(&mut self, query: QueryId) {
        if let Some(query) = self.objects.queries.get(query)
            && let Some(kind) = stream_kind(query.kind)
        {
            self.port.push(&CreateQuery { id: query.id, kind: kind as u32 });
        }
    }

    /// The kind of a query; 0 if it is gone.
    #[must_use]
    pub fn query_type(&self, query: QueryId) -> D3DQUERYTYPE {
        self.objects.queries.get(query).map_or(0, |query| query.kind)
    }

    /// `Issue` with `D3DISSUE_BEGIN` or `D3DISSUE_END`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for flags that the kind does not have.
    pub fn issue_query(&mut self, query: QueryId, flags: u32) -> Result<()> {
        let found = self.objects.queries.get_mut(query).ok_or(Error::InvalidCall)?;
        let brackets =
            matches!(found.kind, D3DQUERYTYPE_OCCLUSION | D3DQUERYTYPE_TIMESTAMPDISJOINT | D3DQUERYTYPE_VERTEXSTATS);
        if flags & !(D3DISSUE_BEGIN | D3DISSUE_END) != 0
            || (flags & D3DISSUE_BEGIN != 0 && found.kind == D3DQUERYTYPE_EVENT)
        {
            return Err(Error::InvalidCall);
        }
        if let Some(token) = found.token() {
            self.port.forget(token);
            found.stage = Stage::Idle;
        }
        if flags & D3DISSUE_BEGIN != 0 && brackets {
            if found.stage == Stage::Open && !found.id.is_none() {
                // Beginning again drops what was counted so far; the stream wants an end for each begin.
                self.port.push(&EndQuery { id: found.id, pad: 0, token: 0 });
            }
            if !found.id.is_none() {
                self.port.push(&BeginQuery { id: found.id, pad: 0 });
            }
            found.stage = Stage::Open;
        }
        if flags & D3DISSUE_END != 0 {
            if found.id.is_none() {
                found.stage = Stage::Done(0);
            } else {
                if brackets && found.stage != Stage::Open {
                    // An end without a begin brackets nothing.
                    self.port.push(&BeginQuery { id: found.id, pad: 0 });
                }
                let token = self.port.token();
                self.port.push(&EndQuery { id: found.id, pad: 0, token });
                found.stage = Stage::Ended(token);
            }
        }
        self.port.flush_if_due();
        Ok(())
    }

    /// `GetData`: `None` is `S_FALSE`, not there yet. `flush` is `D3DGETDATA_FLUSH`; even without it, what the answer
    /// waits for is handed over, since programs wait in a loop.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] while there is no receiver.
    pub fn query_data(&mut self, query: QueryId, flush: bool) -> Result<Option<QueryData>> {
        if self.port.is_lost() {
            if !self.recover() {
                return Err(Error::DeviceLost);
            }
            // Programs wait for answers in the middle of a frame.
            self.port.mark_incomplete();
        }
        let found = self.objects.queries.get_mut(query).ok_or(Error::InvalidCall)?;
        if let Stage::Ended(token) = found.stage {
            match self.port.answered(token) {
                Some(value) => {
                    self.port.forget(token);
                    found.stage = Stage::Done(value);
                }
                None => {
                    if flush {
                        self.port.flush();
                    }
                    return Ok(None);
                }
            }
        }
        let value = match found.stage {
            Stage::Open => return Ok(None),
            Stage::Done(value) => value,
            // What was never issued is there, and is this.
            Stage::Idle | Stage::Ended(_) if matches!(found.kind, D3DQUERYTYPE_EVENT | D3DQUERYTYPE_VCACHE) => 1,
            Stage::Idle | Stage::Ended(_) => return Ok(Some(QueryData::Long(UNISSUED))),
        };
        Ok(Some(match found.kind {
            D3DQUERYTYPE_EVENT => QueryData::Word(1),
            D3DQUERYTYPE_OCCLUSION => QueryData::Long(value),
            // Ticks are nanoseconds.
            D3DQUERYTYPE_TIMESTAMPFREQ => QueryData::Long(1_000_000_000),
            D3DQUERYTYPE_TIMESTAMP => QueryData::Long(value),
            D3DQUERYTYPE_VERTEXSTATS => {
                let (came, left) = (value as u32, (value >> 32) as u32);
                QueryData::Vertices(D3DDEVINFO_D3DVERTEXSTATS {
                    NumRenderedTriangles: came,
                    NumExtraClippingTriangles: left.saturating_sub(came),
                })
            }
            D3DQUERYTYPE_VCACHE => QueryData::Cache(CACHE),
            _ => QueryData::Word(0),
        }))
    }
}
