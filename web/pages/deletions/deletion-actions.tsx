import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import type { Plane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';

export type DeletedItem = Answers['deletions']['list']['items'][number];

/** Restores it. If its slug is taken meanwhile, the form asks for another one. */
export const restore = ({ kind, id, name, slug }: DeletedItem, { trpc }: Plane) =>
  formAction({
    label: 'Restore',
    role: 'admin',
    operation: trpc.deletions.restore,
    path: { kind, id },
    start: kind === 'volume' ? {} : { slug },
    fields: kind === 'volume' ? {} : { slug: { mono: true, hint: 'The one it had, unless another one has taken it.' } },
    title: `Restore ${name}`,
    about: 'With its settings, variables, releases and volumes. Services that ran are suspended until you resume them.',
    succeeded: `${name} restored`,
    touches: [trpc.projects.pathKey(), trpc.environments.pathKey(), trpc.services.pathKey(), trpc.volumes.pathKey()],
  });

/** Purges it before its retention ends. */
export const purge = ({ kind, id, name, state }: DeletedItem, { trpc }: Plane) =>
  deleteAction({
    role: 'admin',
    verb: 'Purge',
    label: state === 'failed' ? 'Purge again' : 'Purge now',
    name,
    operation: trpc.deletions.purge,
    path: { kind, id },
    body: { confirm: name },
    typed: name,
    succeeded: `${name} is being purged`,
    consequences: `All of its data is deleted permanently, on clusters, too. Nobody can restore the ${kind}.`,
  });
