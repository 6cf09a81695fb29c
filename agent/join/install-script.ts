import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Release } from '../../protocol/agent.ts';
import { controlPlaneAddress } from '../link/address.ts';

export interface InstallScript {
  /** The public address of the control plane. */
  url: string;
  release: Release;
  /** The Node that the control plane can give to machines of its own kind. `digest` with or without `sha256:`. */
  runtime?: { os: string; arch: string; digest: string; sizeBytes: number };
}

/** The script that `GET /agent/v1/install.sh` serves, with what it needs to know filled in. */
export function installScript({ url, release, runtime }: InstallScript): string {
  const data: Record<string, string> = {
    url: trimmed(url),
    version: release.version,
    digest: bare(release.digest),
    size: String(release.sizeBytes),
    runtime_platform: runtime === undefined ? '' : `${runtime.os}-${runtime.arch}`,
    runtime_digest: runtime === undefined ? '' : bare(runtime.digest),
    runtime_size: String(runtime?.sizeBytes ?? 0),
  };
  const lines = Object.entries(data).map(([name, value]) => `${name}=${quoted(value)}`);
  const template = readFileSync(join(import.meta.dirname, 'install.sh'), 'utf8');
  return template.replace(': BALLAST_DATA', () => lines.join('\n'));
}

function trimmed(url: string): string {
  return controlPlaneAddress(url).href.replace(/\/+$/, '');
}

function bare(digest: string): string {
  return digest.replace(/^sha256:/, '');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
