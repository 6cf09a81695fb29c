import { formAction } from '../../components/actions/form-action.tsx';
import { ListPage } from '../../components/table/list-page.tsx';
import { useWhole } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { useListed } from '../../control-plane/sought.ts';
import { AgentArrival } from '../agents/agent-arrival.tsx';
import { columns } from './cluster-columns.tsx';
import { byUrgency, type ClusterAnswer } from './cluster-status.tsx';

/** All clusters, those that need attention first. A new one is followed by its join command, which is shown once. */
export function ClusterList() {
  const { trpc } = usePlane();
  const { slug } = useMembership();
  const clusters = useListed(trpc.clusters.list, { query: { summary: true, limit: 200 } }, texts);
  // The most urgent may be on the last page.
  useWhole(clusters, true);
  return (
    <ListPage
      about="The machines on which your applications run."
      pages={clusters}
      columns={columns}
      link={({ id }) => ({ to: '/$organization/clusters/$cluster', params: { organization: slug, cluster: id } })}
      arranged={byUrgency}
      searchBy="name or region"
      makeIn="add"
      make={formAction({
        label: 'Add a cluster',
        operation: trpc.clusters.create,
        fields: {
          name: { placeholder: 'Berlin' },
          region: { hint: 'Where its machine is, in your own words. Optional.' },
        },
        submit: 'Add cluster',
        succeeded: ({ cluster }) => `${cluster.name} created`,
        after: {
          title: ({ cluster }) => `Connect ${cluster.name}`,
          content: (created, close) => (
            <AgentArrival cluster={created.cluster} joining={created} before={undefined} onClose={close} />
          ),
        },
      })}
      empty={{
        title: 'No clusters yet',
        text: 'A cluster is a machine on which an agent of Ballast runs your applications. One command connects it.',
      }}
    />
  );
}

const texts = ({ name, region }: ClusterAnswer) => [name, region];
