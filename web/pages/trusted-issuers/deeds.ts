import { type About, after, count, type Deeds } from '../audit-log/deed.ts';

export const kinds = { trusted_issuer: 'CI jobs' };

function revokedTokens({ revokedTokens: number }: About['details']): string {
  return Number(number) > 0 ? ` and revoked ${count(number, 'token')} that it had issued` : '';
}

export const deeds: Deeds<'trusted_issuer'> = {
  'trusted_issuer.created': {
    label: 'Created',
    done: ({ name, details }) => `created the rule ${name} for CI jobs${after(' of ', details.issuer)}`,
  },
  'trusted_issuer.changed': {
    label: 'Changed',
    done: ({ name, details }) => `changed the rule ${name} for CI jobs${revokedTokens(details)}`,
  },
  'trusted_issuer.deleted': {
    label: 'Deleted',
    done: ({ name, details }) => `deleted the rule ${name} for CI jobs${revokedTokens(details)}`,
  },
};
