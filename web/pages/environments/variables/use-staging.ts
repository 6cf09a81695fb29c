import { type ChangeOptions, type Sent, useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Inputs } from '../../../control-plane/session.ts';

export type Item = Inputs['changeSets']['putItem']['body'];

type Put = { body: Item; name: string };

/** Changes of an environment: staged at once, the bar above shows them, and each can be discarded again. `form`: words of one. */
export function useStaging(environmentId: string, form?: ChangeOptions<Put, unknown>) {
  const { client, trpc } = usePlane();
  // Files are asked for with the service that has them.
  const touches = () => [trpc.variables.pathKey(), trpc.changeSets.pathKey(), trpc.services.pathKey()];
  const put = useChange<Put, unknown>(
    ({ body }, sent) => client.changeSets.putItem.mutate({ path: { id: environmentId }, body }, sent),
    { failed: 'It could not be staged', succeeded: (_, { name }) => `${name} staged to be removed`, ...form, touches },
  );
  const discard = useChange(
    ({ id }: { id: string; name: string }, sent: Sent) => client.changeSets.deleteItem.mutate({ path: { id } }, sent),
    {
      failed: 'The staged change could not be discarded',
      succeeded: (_, { name }) => `Staged change of ${name} discarded`,
      touches,
    },
  );
  return {
    put,
    remove: (body: Item, name: string) => put.send({ body, name }),
    discard: (id: string, name: string) => discard.send({ id, name }),
  };
}

/** Whose variables: those of a service, or without one those that the services of the environment share. */
export interface Whose {
  environmentId: string;
  serviceId?: string | undefined;
}
