import { createRoute, Outlet } from '@tanstack/react-router';
import { personPlane } from '../control-plane/plane.ts';
import { sessionQuery } from '../control-plane/session.ts';
import { PersonTop } from './person-top.tsx';
import { rootRoute } from './routes.ts';
import { Shell } from './shell.tsx';

/** Around pages that belong to the person and to no organization. */
export const personRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'person',
  beforeLoad: () => personPlane.queryClient.ensureQueryData(sessionQuery).then(() => undefined),
  component: PersonFrame,
});

function PersonFrame() {
  return (
    <Shell sidebar={false} top={<PersonTop />}>
      <Outlet />
    </Shell>
  );
}
