import type { LinkProps } from '@tanstack/react-router';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { usePlane } from '../../control-plane/plane.ts';
import { PersonTop } from '../person-top.tsx';
import { placeOf } from '../places.ts';
import { useWhere } from '../scopes/scope.ts';
import { Shell } from '../shell.tsx';

/** In place of a page whose address names nothing, inside the frame: with the way to the nearest page that there is. */
export function NotThere() {
  const { path, params } = useWhere();
  // An organization that nobody knows has no places either.
  const place = usePlane().organizationId === undefined ? undefined : placeOf(path);
  const back = place === undefined ? { to: '/' } : { to: place.to, params };
  return (
    <Page title="Not found">
      <Card>
        <EmptyState
          title="No page at this address"
          action={<ButtonLink {...(back as LinkProps)}>Go to {place?.label ?? 'the first page'}</ButtonLink>}
        >
          {place === undefined
            ? 'It was deleted, the address is not complete, or it belongs to an organization that you are not a member of.'
            : 'It was deleted, or the address is not complete.'}
        </EmptyState>
      </Card>
    </Page>
  );
}

/** The same where no frame is around it yet. */
export function Nowhere() {
  if (usePlane().organizationId !== undefined) return <NotThere />;
  return (
    <Shell sidebar={false} top={<PersonTop />}>
      <NotThere />
    </Shell>
  );
}
