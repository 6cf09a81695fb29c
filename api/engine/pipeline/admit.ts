import { Problem } from '../../../domain/problems.ts';
import { type Caller, OrganizationCaller } from '../caller.ts';
import type { Incoming } from '../input/incoming.ts';
import { shownCredential } from '../limits/known-credentials.ts';
import { rateClasses } from '../limits/rate-classes.ts';
import type { ServerParts } from '../server/server-parts.ts';
import { callerOf, type Showing } from './credential.ts';
import { checkCsrf } from './csrf.ts';
import { chosenOrganization } from './organization.ts';
import { checkPermission } from './permission.ts';

/** Everything that is decided before the request itself is looked at. What does not pass is thrown as a problem. */
export async function admit(server: ServerParts, incoming: Incoming): Promise<void> {
  const { rates, settings } = server;
  const { operation } = incoming.named;
  const { access, rate } = operation;
  const anonymous = () => rates.spend('anonymous', incoming.address, settings.RATE_LIMIT_ANONYMOUS_PER_MINUTE);
  if (access.scope === 'public') {
    incoming.rate = await anonymous();
    if (rate !== undefined) incoming.rate = await rates.spend(rate, incoming.address, rateClasses[rate]);
    return;
  }
  const caller = await knownCaller(server, incoming).catch(async (error: unknown) => {
    if (error instanceof Problem && error.code === 'no-credential') incoming.rate = await anonymous();
    throw error;
  });
  // By the credential: what others send from the same address takes nothing from it.
  const { id } = caller.credential;
  incoming.rate = await rates.spend('credential', id, settings.RATE_LIMIT_PER_MINUTE);
  if (rate !== undefined) incoming.rate = await rates.spend(rate, id, rateClasses[rate]);
  incoming.caller = allowedCaller(incoming, caller);
  noteUse(server, incoming.caller);
}

/**
 * Who calls. A credential that was not good here lately costs its address something before it is looked up: guessing
 * costs the one who guesses, not the database, and not those who are known. Requests that show it at the same moment
 * wait for the first of them.
 */
export async function knownCaller(server: ServerParts, incoming: Showing): Promise<Caller> {
  const { rates, settings, known } = server;
  const shown = shownCredential(incoming.headers);
  if (shown === undefined) return callerOf(server, incoming);
  return known.turn(shown, async (isKnown) => {
    if (!isKnown) await rates.spend('address', incoming.address, settings.RATE_LIMIT_PER_MINUTE);
    try {
      const caller = await callerOf(server, incoming);
      known.add(shown);
      return caller;
    } catch (error) {
      if (error instanceof Problem) known.delete(shown);
      throw error;
    }
  });
}

/** A request is a use; that a stream looks its credential up again is none. */
export function noteUse({ lastUsed }: ServerParts, caller: Caller): void {
  const { credential, userId } = caller;
  if (userId === undefined) {
    lastUsed.touch(credential.id);
    return;
  }
  lastUsed.touchSession(credential.id, caller.idleSoon);
  if (caller instanceof OrganizationCaller) lastUsed.touchMembership(caller.organization.id, userId);
}

/** Who calls, if the credential is valid and its holder may do what the operation does. */
export async function admittedCaller(server: ServerParts, incoming: Incoming): Promise<Caller> {
  return allowedCaller(incoming, await callerOf(server, incoming));
}

function allowedCaller(incoming: Incoming, caller: Caller): Caller {
  const { access } = incoming.named.operation;
  checkCsrf(incoming, caller);
  const chosen = chosenOrganization(incoming, caller, access);
  checkPermission(caller, chosen, access);
  return access.scope === 'organization' && chosen !== undefined ? chosen : caller;
}
