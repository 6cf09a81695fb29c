import type { Database } from '../../db/postgres/database.ts';
import type { Settings } from '../../domain/settings/settings.ts';
import { publicUrlOf, signInAddress } from './sign-in-address.ts';

interface Made {
  link: { secret: string; expiresAt: Date };
  /** To people, beside the link. */
  said: string;
  json: boolean | undefined;
}

/** The link alone on standard output, so that it can be passed on; what it is for beside it. */
export async function printLink(database: Database, settings: Settings, { link, said, json }: Made): Promise<void> {
  const address = signInAddress(await publicUrlOf(database, settings), link.secret);
  if (json) {
    process.stdout.write(`${JSON.stringify({ url: address, expiresAt: link.expiresAt.toISOString() })}\n`);
    return;
  }
  process.stdout.write(`${address}\n`);
  process.stderr.write(`${said} It works once, within 15 minutes.\n`);
}
