import { type Change, useChange } from '../../control-plane/change.ts';
import { personPlane } from '../../control-plane/plane.ts';
import { forgetVisits } from '../palette/recent.ts';

/** Ends this browser's session here and, where it supports that, at the provider. */
export function useSignOut(): Change<undefined> {
  return useChange((_: undefined, sent) => personPlane.client.auth.signOut.mutate(undefined, sent), {
    failed: 'You could not be signed out',
    succeeded: 'Signed out',
    done: ({ endSessionUrl }) => {
      forgetVisits();
      location.assign(endSessionUrl);
    },
  });
}
