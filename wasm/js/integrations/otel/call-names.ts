/** Names of calls. */

/** Scope path, node, visit and attempt. An agent's suffix may follow. */
export const CALL_NAME = /^(?:(.*)\/)?([^/]*):(\d+):(\d+)(?:\/(?!.*:\d+:\d+).*)?$/;
