import type { BuildTrigger } from '../../domain/builds/states.ts';

/** A commit of a repository, reached by its address alone or by a connection. */
export interface CommitSource {
  kind: 'git';
  /** https, without a user name. */
  url: string;
  connectionId?: string;
  /** As people read it: `team/app`. */
  repository: string;
  /** `refs/heads/main` or `refs/tags/v1.2`. */
  ref: string;
  commit: string;
  commitMessage: string;
}

export interface NewBuild {
  organizationId: string;
  projectId: string;
  environmentId: string;
  serviceId: string;
  source: { kind: 'upload'; buildSourceId: string } | CommitSource;
  trigger: BuildTrigger;
  /** The words of the person who asks: what changes. */
  title?: string;
  /** Deployed once it has succeeded. */
  deploys: boolean;
  /** The person who asks accepts that a process with a volume is down for a moment when it is deployed. */
  downtimeAccepted?: boolean;
  actorUserId: string | undefined;
  /** Its commit is the head of the branch that is connected to the environment, as the host of the repository says. */
  connected?: boolean;
  /** Who may decide in a production environment and asks for this very source, or approved a build of it before. */
  approvedBy?: { id: string; name: string } | undefined;
  retryOf?: string;
  /** The change set that waits for its image: such a build neither supersedes another nor is superseded. */
  changeSetId?: string;
}
