import { Problem } from '../../../domain/problems.ts';
import { type Caller, OrganizationCaller } from '../caller.ts';
import type { Incoming } from '../input/incoming.ts';
import type { ServerParts } from '../server/server-parts.ts';
import { callerOf } from './credential.ts';
import { checkCsrf } from './csrf.ts';
import { chosenOrganization } from './organization.ts';
import { checkPermission } from './permission.ts';
import { rateClasses } from './rate-classes.ts';

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
  // Spent before the credential is looked up: guessing costs the one who guesses, not the database.
  incoming.rate = await rates.spend('address', incoming.address, settings.RATE_LIMIT_PER_MINUTE);
  if (rate !== undefined) incoming.rate = await rates.spend(rate, incoming.address, rateClasses[rate]);
  try {
    incoming.caller = await admittedCaller(server, incoming);
    noteUse(server, incoming.caller);
  } catch (error) {
    if (error instanceof Problem && error.code === 'no-credential') incoming.rate = await anonymous();
    throw error;
  }
}

/** A request is a use; that a stream looks its credential up again is none. */
function noteUse({ lastUsed }: ServerParts, caller: Caller): void {
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
  const { access } = incoming.named.operation;
  const caller = await callerOf(server, incoming);
  checkCsrf(incoming, caller);
  const chosen = chosenOrganization(incoming, caller, access);
  checkPermission(caller, chosen, access);
  return access.scope === 'organization' && chosen !== undefined ? chosen : caller;
}
