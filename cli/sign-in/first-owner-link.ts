import { effect } from '../../db/engine/effect.ts';
import { openDatabase } from '../../db/postgres/database.ts';
import { createSignInLink, ownerExists } from '../../db/sign-in/sign-in-links.ts';
import { required, type Settings } from '../../domain/settings/settings.ts';
import { machine } from '../engine/machine.ts';
import { signInAddress } from './sign-in-address.ts';

/** The link that creates the first account; undefined when there is an owner already. */
export async function firstOwnerLink(settings: Settings): Promise<string | undefined> {
  const database = await openDatabase({
    url: required(settings, 'DATABASE_URL'),
    applicationName: 'ballast up',
    poolMax: 1,
  });
  try {
    if (await ownerExists(database.kysely)) return undefined;
    const { secret } = await effect(database, machine(), (change) => createSignInLink(change, { kind: 'first-owner' }));
    return signInAddress(settings.PUBLIC_URL, secret);
  } finally {
    await database.close();
  }
}
