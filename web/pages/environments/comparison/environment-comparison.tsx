import { GitCompareIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Diff } from '../../../components/diff/diff.tsx';
import { Select } from '../../../components/forms/form.tsx';
import { Card, Section } from '../../../components/page.tsx';
import { EmptyState, Loaded } from '../../../components/states.tsx';
import { Badge } from '../../../components/status.tsx';
import { useList } from '../../../control-plane/by-slug.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { sharedTitle } from '../staged/item-lines.ts';
import { type EnvironmentAnswer, useEnvironment } from '../use-environment.ts';
import { countWord, lineOf, linesOf, wordOf } from './comparison-lines.ts';

const route = getRouteApi('/$organization/p/$project/e/$environment/compare');

/** An environment beside another one of its project: the services that differ, and in what. */
export function EnvironmentComparison() {
  return <Loaded query={useEnvironment()}>{(environment) => <Comparison environment={environment} />}</Loaded>;
}

function Comparison({ environment }: { environment: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const navigate = useNavigate();
  const { with: chosen } = route.useSearch();
  const { items = [] } = useList(trpc.environments.list, { path: { id: environment.projectId } });
  const others = items.filter(({ id }) => id !== environment.id);
  const other = others.find(({ slug }) => slug === chosen) ?? others[0];
  if (other === undefined) {
    return (
      <Card>
        <EmptyState icon={<GitCompareIcon />} title="No other environment">
          {environment.name} is the only one of its project.
        </EmptyState>
      </Card>
    );
  }
  return (
    <Section
      title="Compare"
      about={`What changes from ${environment.name} to ${other.name}, as applied and live. Secret values are compared, not shown.`}
      bare
      actions={
        <div className="w-52 max-w-full">
          <Select
            label="Compare with"
            value={other.slug}
            choices={others.map(({ slug: value, name: label }) => ({ value, label }))}
            onChange={(to) => void navigate({ to: '.', search: { with: to } as never, replace: true })}
          />
        </div>
      }
    >
      <Services from={environment} to={other} />
    </Section>
  );
}

function Services({ from, to }: { from: EnvironmentAnswer; to: EnvironmentAnswer }) {
  const { trpc } = usePlane();
  const query = useQuery(trpc.environments.compare.queryOptions({ path: { id: from.id }, query: { with: to.id } }));
  return (
    <Loaded query={query}>
      {({ services, shared }) => {
        const different = services.filter(({ comparison }) => comparison !== 'same');
        const same = services.filter(({ comparison }) => comparison === 'same');
        return (
          <div className="flex flex-col gap-5 pt-2">
            {different.map((service) => (
              <Section
                key={service.serviceId}
                title={service.name}
                actions={<Badge tone="attention">{wordOf(service, from, to)}</Badge>}
              >
                <Diff label={`Differences of ${service.name}`} lines={linesOf(service, from, to)} />
              </Section>
            ))}
            {shared.length > 0 && (
              <Section title={sharedTitle} actions={<Badge tone="attention">{countWord(shared.length)}</Badge>}>
                <Diff label="Differences of shared variables" lines={shared.map((one) => lineOf(one, {}))} />
              </Section>
            )}
            {different.length === 0 && shared.length === 0 && (
              <Card>
                <EmptyState icon={<GitCompareIcon />} title="No differences">
                  {services.length === 0
                    ? 'Neither has a service yet.'
                    : `All ${services.length} services are the same in ${from.name} and ${to.name}.`}
                </EmptyState>
              </Card>
            )}
            {(different.length > 0 || shared.length > 0) && same.length > 0 && (
              <p className="text-soft text-sm">The same in both: {same.map(({ name }) => name).join(', ')}.</p>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
