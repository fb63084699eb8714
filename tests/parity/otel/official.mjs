// The official OpenTelemetry packages, as users install them.

import { createRequire } from "node:module";
import { join } from "node:path";
import { npmPackages } from "../../servers/install.mjs";

const PACKAGES = [
  "api@1.9.1",
  "sdk-trace-base@2.12.1",
  "context-async-hooks@2.12.0",
  "otlp-transformer@0.223.1",
  "semantic-conventions@1.45.0",
];

export async function official() {
  const folder = await npmPackages(
    "opentelemetry-js-2.12.1",
    PACKAGES.map((name) => `@opentelemetry/${name}`),
  );
  return { folder, require: createRequire(join(folder, "package.json")) };
}
