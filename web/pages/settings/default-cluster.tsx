import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Select } from '../../components/forms/form.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { useChange } from '../../control-plane/change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Organization } from './organization.ts';

export function DefaultCluster({ organization, mayChange }: { organization: Organization; mayChange: boolean }) {
  const { client, trpc } = usePlane();
  const { id, defaultClusterId } = organization;
  const clusters = useQuery(trpc.clusters.list.queryOptions({ query: { limit: 200 } })).data?.items ?? [];
  const choose = useChange(
    (chosen: string | null, sent) =>
      client.organizations.update.mutate({ path: { id }, body: { defaultClusterId: chosen } }, sent),
    {
      failed: 'The default cluster could not be changed',
      succeeded: 'Default cluster changed',
      undo: () => defaultClusterId ?? null,
      meanwhile: (chosen) => [
        {
          queryKey: trpc.organizations.get.queryKey({ path: { id } }),
          data: ({ defaultClusterId: _, ...rest }: Organization) =>
            chosen === null ? rest : { ...rest, defaultClusterId: chosen },
        },
      ],
    },
  );
  const chosen = clusters.find((cluster) => cluster.id === defaultClusterId);
  const choices = clusters
    .filter((cluster) => cluster.status !== 'deleting' || cluster === chosen)
    .map(({ id: value, name: label }) => ({ value, label }));
  return (
    <Setting title="Default cluster" about="Used where no cluster is named.">
      {mayChange ? (
        <div className="w-52 max-w-full">
          <Select
            label="Default cluster"
            value={defaultClusterId ?? ''}
            onChange={(value) => choose.send(value === '' ? null : value)}
            choices={[{ value: '', label: 'None' }, ...choices]}
          />
        </div>
      ) : chosen === undefined ? (
        'None'
      ) : (
        <Link
          from="/$organization"
          to="/$organization/clusters/$cluster"
          params={(params) => ({ ...params, cluster: chosen.id })}
          className="rounded-sm underline decoration-field-line underline-offset-3"
        >
          {chosen.name}
        </Link>
      )}
    </Setting>
  );
}
