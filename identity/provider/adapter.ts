import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { sealIdentity, unsealIdentity } from '../../db/keys/identity-secrets.ts';
import { hashSecret } from '../../db/keys/secrets.ts';
import type { Tables } from '../../db/postgres/tables.ts';

interface Storage {
  kysely: Kysely<Tables>;
  /** The key that records are sealed with. */
  key: Buffer;
}

interface StoredRecord {
  idHash: Buffer;
  payload: Buffer;
  consumedAt: Date | null;
}

/**
 * Stores the provider's state in PostgreSQL: it survives the process, and several processes can serve one browser. The ids
 * are bearer secrets, so they are hashed; the payloads carry them too, so they are sealed to their place. When something
 * has expired is decided by PostgreSQL's clock.
 */
export function recordsIn({ kysely, key }: Storage): (model: string) => Adapter {
  return (model) => {
    const bound = (idHash: Buffer): string => `provider_record:${model}:${idHash.toString('hex')}`;

    const readOne = async (condition: Expression<SqlBool>): Promise<AdapterPayload | undefined> => {
      const row: StoredRecord | undefined = await kysely
        .selectFrom('provider_record')
        .select(['id_hash as idHash', 'payload', 'consumed_at as consumedAt'])
        .where('model', '=', model)
        .where(condition)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const payload: AdapterPayload = JSON.parse(unsealIdentity(key, row.payload, bound(row.idHash)));
      return row.consumedAt === null ? payload : { ...payload, consumed: Math.floor(row.consumedAt.getTime() / 1000) };
    };

    return {
      async upsert(id, payload, expiresIn) {
        const idHash = hashSecret(id);
        const values = {
          payload: sealIdentity(key, JSON.stringify(payload), bound(idHash)),
          grant_hash: payload.grantId === undefined ? null : hashSecret(payload.grantId),
          uid_hash: payload.uid === undefined ? null : hashSecret(payload.uid),
          account_id: accountOf(payload) ?? null,
          expires_at: expiresIn === undefined ? null : sql<Date>`now() + make_interval(secs => ${expiresIn})`,
        };
        await kysely
          .insertInto('provider_record')
          .values({ model, id_hash: idHash, ...values })
          .onConflict((conflict) => conflict.columns(['model', 'id_hash']).doUpdateSet(values))
          .execute();
      },

      find: (id) => readOne(sql<SqlBool>`id_hash = ${hashSecret(id)}`),
      findByUid: (uid) => readOne(sql<SqlBool>`uid_hash = ${hashSecret(uid)}`),
      // Only devices without a browser have such codes, and there are none of those here.
      findByUserCode: async () => undefined,

      async consume(id) {
        const consumed = await kysely
          .updateTable('provider_record')
          .set({ consumed_at: sql<Date>`now()` })
          .where('model', '=', model)
          .where('id_hash', '=', hashSecret(id))
          .where('consumed_at', 'is', null)
          .returning('model')
          .executeTakeFirst();
        // Of two requests that have read the same code at the same moment, one comes second here.
        if (consumed === undefined) throw new errors.InvalidGrant('it was used already');
      },

      async destroy(id) {
        await kysely
          .deleteFrom('provider_record')
          .where('model', '=', model)
          .where('id_hash', '=', hashSecret(id))
          .execute();
      },

      async revokeByGrantId(grantId) {
        await kysely
          .deleteFrom('provider_record')
          .where('model', '=', model)
          .where('grant_hash', '=', hashSecret(grantId))
          .execute();
      },
    };
  };
}

/** The account of a record; of an interaction, the one that is signed in or has just signed in by it. */
function accountOf(payload: AdapterPayload): string | undefined {
  return payload.accountId ?? payload.result?.login?.accountId ?? payload.session?.accountId;
}
