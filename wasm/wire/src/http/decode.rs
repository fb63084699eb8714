//! Decoders for credentials: a server may repeat an encoded credential decoded.

/// Returns the text unchanged if the result is not UTF-8.
pub(super) fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.split_first_chunk().filter(|_| *first == b'%');
        match code.and_then(|([high, low], rest)| Some((digit(*high)? << 4 | digit(*low)?, rest))) {
            Some((byte, left)) => {
                bytes.push(byte);
                rest = left;
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Returns `user:password`. Bytes that are not UTF-8 are Latin-1, which browsers' `btoa` writes.
pub(super) fn basic_credentials(text: &str) -> Option<String> {
    let bytes = base64(text)?;
    let latin =
        |error: std::string::FromUtf8Error| error.as_bytes().iter().copied().map(char::from).collect();
    Some(String::from_utf8(bytes).unwrap_or_else(latin))
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_codes() {
        for (text, expect) in [
            ("", ""),
            ("plain+", "plain+"),
            ("a%2Bb%2fc%3D", "a+b/c="),
            ("%C3%A4", "ä"),
            ("%", "%"),
            ("%4", "%4"),
            ("%zz%+1%41", "%zz%+1A"),
            ("ä%", "ä%"),
            ("%ff", "%ff"),
        ] {
            assert_eq!(percent_decode(text), expect, "{text}");
        }
    }

    #[test]
    fn pairs_in_base64() {
        for (text, expect) in [
            ("", Some("")),
            ("YTpi", Some("a:b")),
            ("YTpiYw==", Some("a:bc")),
            ("YTpiYw", Some("a:bc")),
            ("YTrDpD8/", Some("a:ä??")),
            ("YTrDpD8_", Some("a:ä??")),
            ("YTrk", Some("a:ä")),
            ("a:b", None),
            ("ä", None),
        ] {
            assert_eq!(basic_credentials(text).as_deref(), expect, "{text}");
        }
    }
}
