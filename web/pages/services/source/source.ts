import { slugOf } from '../../../../domain/slug.ts';
import type { ServiceAnswer } from '../use-service.ts';

type Kept = ServiceAnswer['source'];
/** A source while it is being edited. */
export type Source = Partial<Kept> & Pick<Kept, 'kind'>;

/** The same source as another kind: what belongs to the kind before is left out. */
export function asKind(kind: Source['kind'], before: Source | undefined): Source {
  const { imageRepository = '', registryCredentialId, gitConnectionId, gitUrl = '', repository = '' } = before ?? {};
  if (kind === 'image')
    return { kind, imageRepository, ...(registryCredentialId === undefined ? {} : { registryCredentialId }) };
  const { builder = 'auto', context = '', dockerfile = '', target = '', buildLimits } = before ?? {};
  const how = { builder, context, dockerfile, target, ...(buildLimits === undefined ? {} : { buildLimits }) };
  if (kind === 'upload') return { kind, ...how };
  return gitConnectionId === undefined ? { kind, ...how, gitUrl } : { kind, ...how, repository, gitConnectionId };
}

/** A repository of this connection; without one it is named by its address. */
export function ofConnection(before: Source, id: string): Source {
  const { gitUrl: _, repository: _repository, gitConnectionId: _id, ...rest } = before;
  return id === '' ? { ...rest, gitUrl: '' } : { ...rest, gitConnectionId: id, repository: '' };
}

/** A source as a change takes it: the repository of its trigger is its own, and is not said twice. */
export function asGiven({ trigger, ...source }: Kept): Source {
  if (trigger === undefined) return source;
  return { ...source, trigger: { tagTemplate: trigger.tagTemplate } as typeof trigger };
}

/** "team/app, folder apps/web"; empty where there is nothing yet. */
export function sourceLine({ kind, imageRepository = '', gitUrl = '', repository = '', context = '' }: Source): string {
  if (kind === 'upload') return 'Uploaded folders';
  if (kind === 'image') return imageRepository;
  const from = repository || gitUrl;
  return context === '' ? from : `${from}, folder ${context}`;
}

interface SourceTarget {
  project: string;
  environment: string;
  /** As its name was typed, or its slug. */
  service: string;
}

/** The command that uploads the folder in which it is run, builds it on the cluster and deploys it. */
export function deployCommand({ project, environment, service }: SourceTarget): string {
  const named = slugOf(service) || 'SERVICE';
  return `ballast deploy . --project ${project} --environment ${environment} --service ${named}`;
}
