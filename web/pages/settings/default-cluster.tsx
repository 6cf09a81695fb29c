import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Select } from '../../components/forms/form.tsx';
import { Setting } from '../../components/forms/setting.tsx';
import { useFieldChange } from '../../control-plane/field-change.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Organization } from './organization.ts';

export function DefaultCluster({ organization, mayChange }: { organization: Organization; mayChange: boolean }) {
  const { trpc } = usePlane();
  const { id, defaultClusterId } = organization;
  const clusters = useQuery(trpc.clusters.list.queryOptions({ query: { limit: 200 } })).data?.items ?? [];
  const choose = useFieldChange({
    operation: trpc.organizations.update,
    path: { id },
    field: 'defaultClusterId',
    value: defaultClusterId ?? null,
    word: (theirs) => clusters.find((cluster) => cluster.id === theirs)?.name ?? 'none',
    failed: 'The default cluster could not be changed',
    succeeded: 'Default cluster changed',
    shownBy: [trpc.organizations.get.queryKey({ path: { id } })],
  });
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
