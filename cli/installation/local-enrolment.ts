import { createEnrollmentToken } from '../../db/clusters/enrollment-tokens.ts';
import { ensureLocalCluster } from '../../db/clusters/local-cluster.ts';
import { effect } from '../../db/engine/effect.ts';
import { openDatabase } from '../../db/postgres/database.ts';
import { required, type Settings } from '../../domain/settings/settings.ts';
import { Refusal } from '../../runtime/supervisor/refusal.ts';
import { machine } from '../database/machine.ts';

/** A token that enrols the agent of this machine. */
export async function localEnrolmentToken(settings: Settings): Promise<string> {
  const url = required(settings, 'DATABASE_URL');
  const database = await openDatabase({ url, applicationName: 'ballast up', poolMax: 1 });
  try {
    return await effect(database, machine(), async (change) => {
      const cluster = await ensureLocalCluster(change);
      if (cluster === undefined) {
        throw new Refusal(
          'There is no organization `default` for the cluster of this machine to belong to; set LOCAL_CLUSTER=false.',
        );
      }
      return (await createEnrollmentToken(change, cluster)).secret;
    });
  } finally {
    await database.close();
  }
}
