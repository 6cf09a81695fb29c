import type { AdmissionEvent, New } from '../../../domain/deployments/arbiter-types.ts';
import type { DeploymentBlocker, DeploymentStage } from '../../../domain/deployments/states.ts';
import type { Author } from '../../engine/effect.ts';

/** A deployment to admit, with the columns of its row that no rule asks for. */
export interface NewDeployment extends Omit<New, 'place'> {
  environmentId: string;
  serviceId: string;
  changeSetMessage?: string;
  downtimeAccepted?: boolean;
  /** The author of the effect, unless somebody else asked for it. */
  requestedBy?: Pick<Author, 'kind' | 'id' | 'name'>;
  rerunOf?: string;
  fromStage?: DeploymentStage;
  /** Told with the request: a sentence. */
  said?: string;
}

/** The person who decided. */
export interface DecidedBy {
  id: string;
  name: string;
  selfApproved?: boolean;
  /** In place of somebody else, who would have had to approve it. */
  brokenGlass?: boolean;
  reason?: string | undefined;
}

type Event<Kind extends AdmissionEvent['event']> = Extract<AdmissionEvent, { event: Kind }>;

/** The arbiter's events, with what the rows need to say about them. */
export type AdmissionRequest =
  | { event: 'create'; deployments: readonly NewDeployment[] }
  | Event<'claim' | 'cancel' | 'review' | 'unbuilt'>
  | (Event<'decide'> & { by?: DecidedBy })
  /** `waitsFor`: the code of what failed. `message`: its sentence. `warning`: what visitors get instead of what is live. */
  | (Event<'finish'> & { waitsFor?: DeploymentBlocker; message?: string; warning?: string });
