// Creates a self-signed certificate for each test, so the repository contains no secrets.

import { createHash, generateKeyPairSync, sign } from "node:crypto";

/** `pin` is the hash of the public key, which a browser flag can trust. */
export function selfSigned(name = "127.0.0.1") {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  // ecdsa-with-SHA256
  const algorithm = der(0x30, der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
  const holder = der(0x30, der(0x31, der(0x30, der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from(name)))));
  const day = 24 * 3600 * 1000;
  const date = (ms) => der(0x17, Buffer.from(new Date(ms).toISOString().replace(/^..|[-:T]|\.\d+/g, "")));
  const validity = der(0x30, date(Date.now() - day), date(Date.now() + day));
  const body = der(0x30, der(0x02, [1]), algorithm, holder, validity, holder, spki);
  const signature = sign("sha256", body, privateKey);
  const cert = der(0x30, body, algorithm, der(0x03, [0], signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    pin: createHash("sha256").update(spki).digest("base64"),
  };
}

/** Encodes one ASN.1 value. */
function der(tag, ...parts) {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
