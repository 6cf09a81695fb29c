import { Link } from '@tanstack/react-router';
import type { Column } from '../../components/table/column.ts';
import { ListPage } from '../../components/table/list-page.tsx';
import { nameColumn, timeColumn } from '../../components/table/usual-columns.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { useListed } from '../../control-plane/sought.ts';
import type { ProjectAnswer } from './use-project.ts';

/** All projects, each with its environments and how they are. */
export function ProjectList() {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  return (
    <ListPage
      about="Applications: services that belong together, in environments beside each other."
      pages={useListed(trpc.projects.list, {}, texts)}
      columns={columns}
      link={({ slug }) => ({ to: '/$organization/p/$project', params: { organization, project: slug } })}
      searchBy="name or description"
      makeAt={{
        label: 'New project',
        role: 'admin',
        link: { to: '/$organization/new-project', params: { organization } },
      }}
      empty={{
        title: 'No projects yet',
        text: 'A project has services, and environments in which they run. The first one takes an image, and shows it running on one page.',
      }}
    />
  );
}

const texts = ({ name, description }: ProjectAnswer) => [name, description];

const columns: Column<ProjectAnswer>[] = [
  nameColumn(),
  {
    label: 'Owner',
    cell: ({ owner, team }) => owner?.name ?? team?.name,
    sort: ({ owner, team }) => owner?.name ?? team?.name,
  },
  { label: 'Environments', cell: (project) => <Environments project={project} />, width: 'minmax(0, 2fr)' },
  timeColumn('Created', ({ createdAt }) => createdAt),
];

function Environments({ project: { id, slug: project } }: { project: ProjectAnswer }) {
  const { trpc } = usePlane();
  const { slug: organization } = useMembership();
  const { items } = useList(trpc.environments.list, { path: { id } });
  return (
    <ul className="flex flex-wrap gap-x-4">
      {items?.map(({ id, slug, name }) => (
        <li key={id}>
          <Link
            to="/$organization/p/$project/e/$environment"
            params={{ organization, project, environment: slug }}
            className="rounded-sm hover:text-text hover:underline"
          >
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
