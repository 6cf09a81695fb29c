import { defineEntity, p } from '@mikro-orm/core';

/** A piece of a draft, which is an object of the bucket that never changes. */
export interface DraftPart {
  object: string;
  bytes: number;
}

/**
 * What has arrived of an upload whose bytes go to a bucket. Of no organization: the upload's row says whose it is, and a
 * draft that no upload names is swept.
 */
export const RegistryDraftSchema = defineEntity({
  name: 'RegistryDraft',
  tableName: 'registry_draft',
  properties: {
    name: p.text().primary(),
    bytes: p.bigint('number').default(0),
    /** In order. */
    parts: p.json<DraftPart[]>().defaultRaw(`'[]'::jsonb`),
    /** The SHA-256 of all its bytes, if the request that wrote the last of them knew it. */
    sha256: p.text().nullable(),
    changedAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ name: 'registry_draft_changed_at_index', properties: ['changedAt'] }],
});

export class RegistryDraft extends RegistryDraftSchema.class {}
RegistryDraftSchema.setClass(RegistryDraft);
