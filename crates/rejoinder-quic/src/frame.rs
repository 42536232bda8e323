//! Frames on a stream: a length (u32 little-endian), then that many bytes.

use quinn::{ReadError, RecvStream};

/// Bytes of a frame's length.
pub(crate) const HEADER: usize = 4;

/// Why no further frame can be read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// The other side ended the stream, which only closing the link may do.
    Ended,
    /// A frame announces more bytes than allowed.
    TooLong,
    /// quinn can't read.
    Lost(ReadError),
}

/// Reads frames one after the other. Dropping a read half-way loses nothing: the bytes so far stay
/// here.
#[derive(Debug)]
pub(crate) struct FrameReader {
    stream: RecvStream,
    header: Vec<u8>,
    body: Vec<u8>,
}

impl FrameReader {
    pub(crate) fn new(stream: RecvStream) -> Self {
        Self { stream, header: Vec::with_capacity(HEADER), body: Vec::new() }
    }

    /// The next frame. Memory grows with the bytes that arrive, not with the length that is
    /// announced.
    pub(crate) async fn next(&mut self, limit: usize) -> Result<Vec<u8>, Unread> {
        fill(&mut self.stream, &mut self.header, HEADER).await?;
        let length = announced(&self.header);
        if length > limit {
            return Err(Unread::TooLong);
        }
        fill(&mut self.stream, &mut self.body, length).await?;
        self.header.clear();
        Ok(std::mem::take(&mut self.body))
    }
}

fn announced(header: &[u8]) -> usize {
    let header: [u8; HEADER] = header.try_into().expect("a header was filled to its length");
    u32::from_le_bytes(header) as usize
}

/// Reads until `buffer` holds `length` bytes.
async fn fill(stream: &mut RecvStream, buffer: &mut Vec<u8>, length: usize) -> Result<(), Unread> {
    while buffer.len() < length {
        match stream.read_chunk(length - buffer.len(), true).await {
            Ok(Some(chunk)) => buffer.extend_from_slice(&chunk.bytes),
            Ok(None) => return Err(Unread::Ended),
            Err(error) => return Err(Unread::Lost(error)),
        }
    }
    Ok(())
}

/// Appends a frame to bytes that are about to be written.
pub(crate) fn append(bytes: &mut Vec<u8>, frame: &[u8]) {
    let length =
        u32::try_from(frame.len()).expect("a frame's length was checked when it was queued");
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(frame);
}
