import type { ChangeSetSource } from '../../../domain/change-sets/items.ts';
import type { Commits } from './builds.ts';
import type { PlannedService, Uploads } from './plan.ts';

export interface ApplyRequest {
  /** The draft's id, which becomes the change set's. */
  changeSetId: string;
  title: string;
  reason: string;
  source: ChangeSetSource;
  downtimeAccepted: boolean;
  expectedRevision?: number | undefined;
  /** Services that are deployed with their settings as they are, although nothing of them is staged. */
  deployServiceIds?: readonly string[];
  /** Only what is staged of these services is applied; the rest stays staged. Absent: all. */
  serviceIds?: readonly string[] | undefined;
  /** Uploaded sources that images are made of first. */
  uploads?: Uploads;
  /** Of services whose image is made of a repository first. */
  commits?: Commits;
  /** The person who uploaded these, where nobody else may decide in production. */
  approvedBy?: { id: string; name: string } | undefined;
  /** The person whose rights bound the request. */
  answerableId: string | undefined;
}

/** A service with the release that was composed of it. */
export interface Released {
  service: PlannedService;
  releaseId: string;
  number: number;
  contentDigest: string;
  runsAs: number;
  imageRef: string;
}
