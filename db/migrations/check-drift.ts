/** For CI: fails when entities and migrations differ. `DATABASE_URL` names an empty scratch database. */
import { drift } from './drift.ts';

const url = process.env.DATABASE_URL;
if (url === undefined || url === '') {
  console.error('Set DATABASE_URL to an empty scratch database.');
  process.exit(1);
}
const difference = await drift(url);
if (difference !== undefined) {
  console.error(difference);
  process.exit(1);
}
console.log('Entities and migrations say the same.');
