import type { ReactNode } from 'react';
import { Card, Page } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import type { Sought } from '../../control-plane/by-slug.ts';
import { isMissing } from '../../control-plane/problem.ts';
import { NotThere } from './not-there.tsx';

interface ThingPageProps<Thing> {
  query: Sought<Thing>;
  /** The heading until the thing is there. */
  noun: string;
  width?: 'wide';
  children: (thing: Thing) => ReactNode;
}

/** Around the page of one thing: its loading and its failure, and "Not found" where the address names none. */
export function ThingPage<Thing>({ query, noun, width, children }: ThingPageProps<Thing>) {
  if (isMissing(query.error)) return <NotThere />;
  if (query.data !== undefined) return children(query.data);
  return (
    <Page title={noun} width={width}>
      <Card>
        <Loaded query={query}>{() => null}</Loaded>
      </Card>
    </Page>
  );
}
