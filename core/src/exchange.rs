//! Plans as other programs draw and write them: out as Mermaid and DOT, in from Mermaid and Serverless Workflow.
//!
//! Decides what of a plan has an equal there, and says so of what has none. Names and conditions are a stranger's text: ids are made
//! here, and labels can't end themselves or become markup.
//!
//! Source: Mermaid's flowchart syntax, the DOT language, Serverless Workflow 1.0.
