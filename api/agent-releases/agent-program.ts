import type { Release } from '../../protocol/agent.ts';
import type { ReleaseProof } from '../../protocol/release-proof.ts';

declare module '../engine/server/server-parts.ts' {
  interface ServerParts {
    /** The agent as it is served to machines. */
    readonly agentProgram: AgentProgram | undefined;
  }
}

/** How machines get the agent. It is made and signed elsewhere: nothing that serves requests can. */
export interface AgentProgram {
  installScript(parts: { url: string; release: Release; proof: ReleaseProof; runtime: Runtime }): Promise<string>;
}

/** The Node of this very process, for machines of the same kind that have none. */
export interface Runtime {
  os: string;
  arch: string;
  /** `sha256:` and hexadecimal digits. */
  digest: string;
  sizeBytes: number;
}
