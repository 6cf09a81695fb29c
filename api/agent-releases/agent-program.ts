import type { Release } from '../../protocol/agent.ts';

/** The agent as this control plane serves it; where it is made is nobody's business here. */
export interface AgentProgram {
  makeBundle(): Promise<{ image: string; version: string; digest: string; bytes: Buffer }>;
  installScript(parts: { url: string; release: Release; runtime: Runtime }): Promise<string>;
}

/** The Node of this very process, for machines of the same kind that have none. */
export interface Runtime {
  os: string;
  arch: string;
  /** `sha256:` and hexadecimal digits. */
  digest: string;
  sizeBytes: number;
}
