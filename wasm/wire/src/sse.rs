//! Decodes event streams (`text/event-stream`) chunk by chunk. The caller reconnects.
//!
//! Invariants:
//! 1. The events don't depend on chunk boundaries, even inside a character or between CR and LF.
//! 2. An event ends with an empty line. Otherwise it is dropped.
//! 3. The decoder buffers at most the limit.
//!
//! Source: WHATWG HTML, section "Server-sent events".

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// `message` by default.
    pub kind: String,
    /// Its lines, joined with line breaks.
    pub data: String,
}

/// An event exceeds the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// A decoder from bytes to events.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    line: Vec<u8>,
    /// Whether a following LF belongs to the last line end.
    after_cr: bool,
    first_line: bool,
    kind: String,
    data: Option<String>,
    next_id: String,
    last_id: String,
    retry_ms: Option<u64>,
}

impl Decoder {
    /// Accepts events of up to `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            after_cr: false,
            first_line: true,
            kind: String::new(),
            data: None,
            next_id: String::new(),
            last_id: String::new(),
            retry_ms: None,
        }
    }

    /// Returns the events that end in this chunk.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        let mut rest = chunk;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let (line, end) = rest.split_at(at);
            self.push_part(line)?;
            events.extend(self.end_line());
            rest = match end {
                [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
                [_, rest @ ..] => {
                    self.after_cr = rest.is_empty();
                    rest
                }
                [] => end,
            };
        }
        self.push_part(rest)?;
        Ok(events)
    }

    /// Returns the id to resume from, if any.
    pub fn last_event_id(&self) -> &str {
        &self.last_id
    }

    /// Returns the server's pause before it.
    pub fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    fn push_part(&mut self, part: &[u8]) -> Result<(), TooLarge> {
        let kept = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if kept + part.len() > self.limit {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn end_line(&mut self) -> Option<Event> {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let mut line = line.as_ref();
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            return self.end_event();
        }
        // Comments start with a colon: their field name is empty.
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        self.field(field, value.strip_prefix(' ').unwrap_or(value));
        None
    }

    fn field(&mut self, name: &str, value: &str) {
        match name {
            "event" => value.clone_into(&mut self.kind),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "id" if !value.contains('\0') => value.clone_into(&mut self.next_id),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry_ms = value.parse().ok().or(self.retry_ms);
            }
            _ => {}
        }
    }

    fn end_event(&mut self) -> Option<Event> {
        self.last_id.clone_from(&self.next_id);
        let kind = std::mem::take(&mut self.kind);
        let data = self.data.take()?;
        Some(Event { kind: if kind.is_empty() { "message".to_owned() } else { kind }, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(decoder: &mut Decoder, chunks: &[&[u8]]) -> Vec<(String, String)> {
        let all = chunks.iter().flat_map(|chunk| decoder.push(chunk).unwrap());
        all.map(|event| (event.kind, event.data)).collect()
    }

    /// The result must be equal however the stream is cut.
    fn check(stream: &[u8], expect: &[(&str, &str)], id: &str, retry_ms: Option<u64>) {
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        let cuts = (0..=stream.len()).map(|at| vec![&stream[..at], &stream[at..]]);
        for chunks in cuts.chain([vec![stream], bytes]) {
            let mut decoder = Decoder::new(1000);
            let found = events(&mut decoder, &chunks);
            let found: Vec<(&str, &str)> =
                found.iter().map(|(kind, data)| (kind.as_str(), data.as_str())).collect();
            assert_eq!(found, expect, "{} in {chunks:?}", String::from_utf8_lossy(stream));
            assert_eq!((decoder.last_event_id(), decoder.retry_ms()), (id, retry_ms));
        }
    }

    #[test]
    fn streams() {
        check(b"", &[], "", None);
        check(b"data: a\n\n", &[("message", "a")], "", None);
        check(
            b"data: a\r\n\r\ndata: b\r\rdata: c\n\n",
            &[("message", "a"), ("message", "b"), ("message", "c")],
            "",
            None,
        );
        check("data: ä€😀\n\n".as_bytes(), &[("message", "ä€😀")], "", None);
        check(b"data:a\ndata:  b\ndata\n\n", &[("message", "a\n b\n")], "", None);
        check("\u{feff}data: a\n\n\u{feff}data: b\n\n".as_bytes(), &[("message", "a")], "", None);
        check(b": hello\n:\ndata: a\n: more\n\n", &[("message", "a")], "", None);
        check(b"event: tick\ndata: a\n\ndata: b\n\n", &[("tick", "a"), ("message", "b")], "", None);
        check(b"event: tick\n\ndata: b\n\n", &[("message", "b")], "", None);
        check(b"id: 1\ndata:\n\n", &[("message", "")], "1", None);
        check(b"id: 1\n\nid: 2\n", &[], "1", None);
        check(b"id: 1\n\nid\n\n", &[], "", None);
        check(b"id: 1\n\nid: a\0b\n\n", &[], "1", None);
        check(b"retry: 500\nretry: soon\nretry: 99999999999999999999999\n\n", &[], "", Some(500));
        check(b"data: not ended", &[], "", None);
        check(b"data: not ended\n", &[], "", None);
        check(b"other: a\nData: b\n\n", &[], "", None);
        check(b"data: \xff\n\n", &[("message", "\u{fffd}")], "", None);
        check(b"\n\n\r\n\rdata: a\n\n", &[("message", "a")], "", None);
    }

    #[test]
    fn limits_the_size() {
        let long = [b"data: ".as_slice(), &[b'a'; 100], b"\n\n"].concat();
        assert_eq!(Decoder::new(50).push(&long), Err(TooLarge));
        let mut decoder = Decoder::new(50);
        for _ in 0..100 {
            assert_eq!(events(&mut decoder, &[b"data: 0123456789\n: 0123456789\n\n"]).len(), 1);
        }
        let many = b"data: 0123456789\n".repeat(10);
        assert_eq!(decoder.push(&many), Err(TooLarge));
        let mut endless = Decoder::new(50);
        assert!((0..10).any(|_| endless.push(b"0123456789").is_err()));
    }
}
