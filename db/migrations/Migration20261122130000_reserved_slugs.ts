import { Migration } from '@mikro-orm/migrations';

/** An organization's pages moved from `/o/<slug>` to `/<slug>`: one whose slug is an address of ours gets another one. */
export class Migration20261122130000_reserved_slugs extends Migration {
  override name = 'Migration20261122130000_reserved_slugs';

  override up(): void | Promise<void> {
    this.addSql(`
      update "organization" set "slug" = "slug" || '-' || right("id"::text, 8)
      where "slug" in ('account', 'agent', 'api', 'assets', 'console', 'deleted-organizations', 'docs', 'healthz',
        'invitations', 'metrics', 'new-organization', 'o', 'oidc', 'readyz', 'sign-in', 'sign-in-link', 'sign-out',
        'signed-out', 'trpc');
    `);
  }

  override down(): void | Promise<void> {
    // The new slugs are valid in the version before, too.
  }
}
