//! Parses paths, literals, texts, lists, maps, calls and `if`.

use super::{Base, FUNCTIONS, Jq, Parser, Unsupported};
use serde_json::Value as Json;
use stepgraph_core::value::Segment;

impl Parser<'_> {
    pub(super) fn postfix(&mut self) -> Result<Jq, Unsupported> {
        let mut operand = self.operand()?;
        loop {
            let is_dot = operand == Jq::Path(Base::Dot, Vec::new());
            if self.rest().starts_with('?') {
                self.at += 1;
            } else if self.rest().starts_with('[') {
                operand = self.bracket(operand)?;
            } else if self.rest().starts_with(".[") {
                self.at += 1;
            } else if self.rest().starts_with('.') && !is_dot {
                self.at += 1;
                let key = self.field()?;
                operand = self.extended(operand, Segment::Key(key))?;
            } else {
                return Ok(operand);
            }
        }
    }

    fn operand(&mut self) -> Result<Jq, Unsupported> {
        self.skip_whitespace();
        match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.pipe()?;
                self.expect(")")?;
                Ok(inner)
            }
            Some('"') => self.text(),
            Some('.') => {
                self.at += 1;
                let is_key = self.rest().starts_with(|c: char| c.is_alphabetic() || "_\"".contains(c));
                let path = if is_key { vec![Segment::Key(self.field()?)] } else { Vec::new() };
                Ok(Jq::Path(Base::Dot, path))
            }
            Some('$') => {
                self.at += 1;
                Ok(Jq::Path(Base::Variable(self.word().to_owned()), Vec::new()))
            }
            Some('-') => {
                self.at += 1;
                self.link()?;
                match self.nested(Self::postfix)? {
                    Jq::Literal(Json::Number(number)) => number_of(&format!("-{number}")),
                    operand => Ok(Jq::Negative(Box::new(operand))),
                }
            }
            Some('{') => self.map(),
            Some('[') => self.list(),
            Some('0'..='9') => self.number(),
            _ => self.named(),
        }
    }

    fn number(&mut self) -> Result<Jq, Unsupported> {
        let rest = self.rest();
        let is_part = |(at, c): (usize, char)| {
            let after_exponent = rest.get(..at).is_some_and(|before| before.ends_with(['e', 'E']));
            c.is_ascii_alphanumeric() || c == '.' || "+-".contains(c) && after_exponent
        };
        let length = rest.char_indices().find(|part| !is_part(*part)).map_or(rest.len(), |(at, _)| at);
        let number = number_of(rest.get(..length).unwrap_or_default()).map_err(|_| self.unsupported())?;
        self.at += length;
        Ok(number)
    }

    fn named(&mut self) -> Result<Jq, Unsupported> {
        let before = self.at;
        let word = self.word();
        match word {
            "true" => return Ok(Jq::Literal(Json::from(true))),
            "false" => return Ok(Jq::Literal(Json::from(false))),
            "null" => return Ok(Jq::Literal(Json::Null)),
            "if" => return self.nested(Self::conditional),
            _ => {}
        }
        let Some((name, most)) = FUNCTIONS.into_iter().find(|(name, _)| *name == word) else {
            self.at = before;
            return Err(self.unsupported());
        };
        let mut arguments = Vec::new();
        if self.eat("(") {
            arguments.push(self.pipe()?);
            while self.eat(";") {
                arguments.push(self.pipe()?);
            }
            self.expect(")")?;
        }
        let is_optional = matches!(name, "any" | "all" | "flatten");
        let least = usize::from(most > 0 && !is_optional);
        if arguments.len() < least || arguments.len() > most {
            return Err(format!("`{name}` is not supported with {} arguments", arguments.len()));
        }
        Ok(Jq::Call(name, arguments))
    }

    fn conditional(&mut self) -> Result<Jq, Unsupported> {
        let condition = self.pipe()?;
        if !self.eat_word("then") {
            return Err(self.unsupported());
        }
        let then = self.pipe()?;
        let other = if self.eat_word("elif") {
            self.nested(Self::conditional)?
        } else if self.eat_word("else") {
            let other = self.pipe()?;
            if !self.eat_word("end") {
                return Err(self.unsupported());
            }
            other
        } else if self.eat_word("end") {
            Jq::Path(Base::Dot, Vec::new())
        } else {
            return Err(self.unsupported());
        };
        Ok(Jq::If(Box::new([condition, then, other])))
    }

    fn field(&mut self) -> Result<String, Unsupported> {
        if self.rest().starts_with('"') {
            return self.key();
        }
        match self.word() {
            "" => Err(self.unsupported()),
            word => Ok(word.to_owned()),
        }
    }

    fn bracket(&mut self, operand: Jq) -> Result<Jq, Unsupported> {
        let before = self.at;
        self.at += 1;
        if self.eat("]") {
            self.link()?;
            return Ok(Jq::Each(Box::new(operand)));
        }
        let index = self.pipe()?;
        if !self.eat("]") {
            self.at = before;
            return Err(self.unsupported());
        }
        let segment = match &index {
            Jq::Literal(Json::String(key)) => Some(Segment::Key(key.clone())),
            Jq::Literal(number) => number.as_u64().and_then(|at| Some(Segment::Index(at.try_into().ok()?))),
            _ => None,
        };
        match segment {
            Some(segment) => self.extended(operand, segment),
            None => {
                self.link()?;
                Ok(Jq::Index(Box::new(operand), Box::new(index)))
            }
        }
    }

    fn extended(&mut self, operand: Jq, segment: Segment) -> Result<Jq, Unsupported> {
        Ok(match operand {
            Jq::Path(base, mut path) => {
                path.push(segment);
                Jq::Path(base, path)
            }
            Jq::Pipe(left, right) => Jq::Pipe(left, Box::new(self.extended(*right, segment)?)),
            operand => {
                self.link()?;
                Jq::Pipe(Box::new(operand), Box::new(Jq::Path(Base::Dot, vec![segment])))
            }
        })
    }

    fn key(&mut self) -> Result<String, Unsupported> {
        match self.text()? {
            Jq::Literal(Json::String(key)) => Ok(key),
            _ => Err("a key is put together".to_owned()),
        }
    }

    fn text(&mut self) -> Result<Jq, Unsupported> {
        self.at += 1;
        let (mut parts, mut plain) = (Vec::new(), String::new());
        loop {
            let rest = self.rest();
            let stop = rest.find(['"', '\\']).ok_or("a text is not closed")?;
            plain.push_str(rest.get(..stop).unwrap_or_default());
            self.at += stop + 1;
            if rest.get(stop..).is_some_and(|rest| rest.starts_with('"')) {
                break;
            }
            if self.rest().starts_with('(') {
                self.at += 1;
                parts.push(Jq::Literal(Json::from(std::mem::take(&mut plain))));
                parts.push(self.pipe()?);
                self.expect(")")?;
                continue;
            }
            let escaped = self.rest().chars().next().ok_or("a text is not closed")?;
            let length = if escaped == 'u' { 5 } else { escaped.len_utf8() };
            let escape = format!("\"\\{}\"", self.rest().get(..length).unwrap_or_default());
            let read = stepgraph_core::json::parse(&escape).ok_or("an escape is not known")?;
            plain.push_str(read.as_str().unwrap_or_default());
            self.at += length;
        }
        let last = Jq::Literal(Json::from(plain));
        if parts.is_empty() {
            return Ok(last);
        }
        parts.push(last);
        Ok(Jq::Interpolation(parts))
    }

    fn map(&mut self) -> Result<Jq, Unsupported> {
        self.at += 1;
        let mut entries: Vec<(Jq, Jq)> = Vec::new();
        while !self.eat("}") {
            let (key, short) = self.entry_key()?;
            let value = match short {
                Some(short) if !self.eat(":") => short,
                _ => {
                    let first = self.nested(|parser| parser.operators(0))?;
                    self.piped(first)?
                }
            };
            // The last of equal keys wins.
            entries.retain(|(known, _)| *known != key);
            entries.push((key, value));
            if !self.eat(",") && !self.rest().trim_start().starts_with('}') {
                return Err(self.unsupported());
            }
        }
        Ok(Jq::Map(entries))
    }

    /// Also returns its value without `:`. Consumes a required `:`.
    fn entry_key(&mut self) -> Result<(Jq, Option<Jq>), Unsupported> {
        self.skip_whitespace();
        match self.rest().chars().next() {
            Some('"') => match self.text()? {
                Jq::Literal(Json::String(key)) => Ok(short_entry(key)),
                key => self.expect(":").map(|()| (key, None)),
            },
            Some('(') => {
                self.at += 1;
                let key = self.pipe()?;
                self.expect(")")?;
                self.expect(":").map(|()| (key, None))
            }
            Some('$') => {
                self.at += 1;
                let name = self.word();
                let value = Jq::Path(Base::Variable(name.to_owned()), Vec::new());
                Ok((Jq::Literal(Json::from(name)), Some(value)))
            }
            _ => match self.word() {
                "" => Err(self.unsupported()),
                word => Ok(short_entry(word.to_owned())),
            },
        }
    }

    /// A `|` binds less tightly than commas.
    fn list(&mut self) -> Result<Jq, Unsupported> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.eat("]") {
            let item = self.nested(|parser| parser.operators(0))?;
            let end = self.at;
            let item = if items.is_empty() { self.piped(item)? } else { item };
            let is_piped = self.at > end;
            items.push(item);
            let more = self.eat(",");
            if more && is_piped || !more && !self.rest().trim_start().starts_with(']') {
                return Err(self.unsupported());
            }
        }
        Ok(Jq::List(items))
    }
}

/// An entry that has no `:` is the field of that name.
fn short_entry(key: String) -> (Jq, Option<Jq>) {
    let value = Jq::Path(Base::Dot, vec![Segment::Key(key.clone())]);
    (Jq::Literal(Json::from(key)), Some(value))
}

fn number_of(text: &str) -> Result<Jq, Unsupported> {
    let number =
        stepgraph_core::source::json_number(text).ok_or("a number is outside the supported range")?;
    Ok(Jq::Literal(Json::Number(number)))
}
