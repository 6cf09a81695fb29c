import { deleteAction } from '../../components/actions/delete-action.tsx';
import { formAction } from '../../components/actions/form-action.tsx';
import { ListPage } from '../../components/table/list-page.tsx';
import { usePages } from '../../control-plane/pages.ts';
import { type Plane, usePlane } from '../../control-plane/plane.ts';
import { type Answers, useMay } from '../../control-plane/session.ts';
import { deletedColumns } from './deleted-columns.tsx';

export type DeletedItem = Answers['deletions']['list']['items'][number];

/** Restores it. If its slug, of a volume its name, is taken meanwhile, another one is typed. */
export const restore = ({ kind, id, name, slug }: DeletedItem, { trpc }: Plane) =>
  formAction({
    label: 'Restore',
    role: 'admin',
    operation: trpc.deletions.restore,
    path: { kind, id },
    start: { slug: kind === 'volume' ? name : slug },
    fields: {
      slug: {
        label: kind === 'volume' ? 'Name' : 'Short name',
        hint: 'As it was. Type another one if it is taken by now.',
        mono: true,
      },
    },
    title: `Restore the ${kind} ${name}`,
    about: kind === 'volume' ? ofVolume : ofOthers,
    succeeded: `${name} restored`,
    touches: [trpc.projects.pathKey(), trpc.environments.pathKey(), trpc.services.pathKey(), trpc.volumes.pathKey()],
  });

const ofVolume = 'With its data. It is staged where its process is, and mounted there again once that is deployed.';
const ofOthers =
  'With its settings, variables, releases and volumes. Services that ran are suspended until you resume them.';

/** Purges it before its retention ends. */
export const purge = ({ kind, id, name, state }: DeletedItem, { trpc }: Plane) =>
  deleteAction({
    role: 'admin',
    verb: 'Purge',
    label: state === 'failed' ? 'Purge again' : 'Purge now',
    name,
    noun: kind,
    operation: trpc.deletions.purge,
    path: { kind, id },
    body: { confirm: name },
    typed: name,
    succeeded: `${name} is being purged`,
    consequences: `Its data are deleted for good, on clusters, too. Nobody can restore the ${kind} any more.`,
  });

/** Deleted services, volumes, environments and projects: those that can be restored, and the purge of the others. */
export function Deleted() {
  const plane = usePlane();
  const mayDecide = useMay('admin');
  return (
    <ListPage
      about="Services, volumes, environments and projects that can be restored until they are purged."
      pages={usePages(plane.trpc.deletions.list, {})}
      columns={columns}
      actions={(item) => [
        ...(mayDecide && item.restorable ? [restore(item, plane)] : []),
        ...(mayDecide && item.purgeable ? [purge(item, plane)] : []),
      ]}
      empty={{
        title: 'Nothing deleted',
        text: 'A service, volume, environment or project that somebody deletes is listed here until it is purged.',
      }}
    />
  );
}

const columns = deletedColumns<DeletedItem>({
  about: ({ kind, context }) => `${kind}${context === '' ? '' : ` of ${context}`}`,
  detail: ({ detail }) => detail,
});
