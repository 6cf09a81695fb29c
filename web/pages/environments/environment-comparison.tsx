import { GitCompareIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Diff, type DiffLine } from '../../components/diff/diff.tsx';
import { Select } from '../../components/forms/form.tsx';
import { asSentence } from '../../components/forms/operation/values.ts';
import { Card, Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { Badge } from '../../components/status.tsx';
import { useList } from '../../control-plane/by-slug.ts';
import { usePlane } from '../../control-plane/plane.ts';
import type { Answers } from '../../control-plane/session.ts';
import { sharedTitle, valueText } from './staged/item-lines.ts';
import { type EnvironmentAnswer, useEnvironment } from './use-environment.ts';

type Compared = Answers['environments']['compare']['services'][number];
type Difference = Compared['differences'][number];

/** How many differences, or where alone it is. */
export function wordOf({ comparison, differences }: Compared, from: EnvironmentAnswer, to: EnvironmentAnswer): string {
  if (comparison === 'only-from') return `only in ${from.name}`;
  if (comparison === 'only-to') return `only in ${to.name}`;
  return countWord(differences.length);
}

export function countWord(count: number): string {
  return count === 1 ? '1 difference' : `${count} differences`;
}

/** A service in two environments, as lines of a diff. */
export function linesOf(service: Compared, from: EnvironmentAnswer, to: EnvironmentAnswer): DiffLine[] {
  const { comparison, fromRelease, toRelease, differences } = service;
  if (comparison !== 'different') {
    const [release, here, there] =
      comparison === 'only-from' ? [fromRelease, from.name, to.name] : [toRelease, to.name, from.name];
    const has = release === undefined ? 'Nothing of it is live' : `Release ${release} is live`;
    return [{ id: comparison, title: 'Service', note: `${has} in ${here}; ${there} does not have it.` }];
  }
  return differences.map((one) => lineOf(one, service));
}

export function lineOf(
  { kind, process, key, from, to, secret }: Difference,
  { fromRelease, toRelease }: Pick<Compared, 'fromRelease' | 'toRelease'>,
): DiffLine {
  const id = `${kind} ${process} ${key}`;
  if (kind === 'image') {
    return { id, title: 'Image', from: imageText(from, fromRelease), to: imageText(to, toRelease) };
  }
  const title = asSentence([kind === 'setting' ? '' : kind, process, key].filter((word) => word !== '').join(' '));
  if (secret) return { id, title, note: 'The secret values are not the same.' };
  const [before, after] = [valueText(from), valueText(to)];
  return { id, title, from: before ?? 'not set', to: after ?? 'not set' };
}

function imageText(json: string, release: number | undefined): string {
  const digest = valueText(json);
  return digest === undefined ? 'nothing live' : `release ${release ?? ''} ${digest.slice(0, 19)}…`;
}

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
