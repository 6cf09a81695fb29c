import type { DeploymentKind, DeploymentStage } from '../../../domain/deployments/states.ts';

/** A deployment that repeats an earlier one that did not go live. */
export interface Rerun {
  /** The deployment that it repeats. */
  of: string;
  fromStage?: DeploymentStage | undefined;
  /** The kind of the first of its line, which is no rerun: what that did to settings is done again. */
  as: DeploymentKind;
  /** In a sentence, for people. */
  said: string;
  /** The approval of the deployment that it repeats, where that still holds. */
  approval?: { id: string; by: string } | undefined;
}

export function rowOfRerun({ of, fromStage, said }: Rerun) {
  return { rerunOf: of, said, ...(fromStage === undefined ? {} : { fromStage }) };
}

/** For the audit log. */
export function detailsOfRerun({ of, fromStage, approval }: Rerun) {
  return {
    rerunOf: of,
    ...(fromStage === undefined ? {} : { fromStage }),
    ...(approval === undefined ? {} : { approval: approval.id, approvedBy: approval.by }),
  };
}
