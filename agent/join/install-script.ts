import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Release } from '../../protocol/agent.ts';
import type { ReleaseProof } from '../../protocol/release-proof.ts';
import { currentKey } from '../../protocol/verify-proof.ts';
import { controlPlaneAddress } from '../link/address.ts';

export interface InstallScript {
  /** The public address of the control plane. */
  url: string;
  release: Release;
  proof: ReleaseProof;
  /** The Node that the control plane can give to machines of its own kind. */
  runtime?: { digest: string; sizeBytes: number };
}

/** The script that `GET /agent/v1/install.sh` serves, with what it needs to know filled in. */
export function installScript({ url, release, proof, runtime }: InstallScript): string {
  // A process on another machine may have another Node than the one that was signed.
  const node = runtime && proof.runtime?.statement.includes(`"${runtime.digest}"`) ? proof.runtime : undefined;
  const data: Record<string, string> = {
    url: trimmed(url),
    version: release.version,
    size: String(release.sizeBytes),
    key: currentKey(proof),
    statement: proof.release.statement,
    signature: proof.release.signature,
    runtime_statement: node?.statement ?? '',
    runtime_signature: node?.signature ?? '',
    runtime_size: String(runtime?.sizeBytes ?? 0),
  };
  const lines = Object.entries(data).map(([name, value]) => `${name}=${quoted(value)}`);
  const template = readFileSync(join(import.meta.dirname, 'install.sh'), 'utf8');
  return template.replace(': BALLAST_DATA', () => lines.join('\n'));
}

function trimmed(url: string): string {
  return controlPlaneAddress(url).href.replace(/\/+$/, '');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
