import { createTrustedIssuer } from './create-trusted-issuer.ts';
import { deleteTrustedIssuer } from './delete-trusted-issuer.ts';
import { getTrustedIssuer } from './get-trusted-issuer.ts';
import { listTrustedIssuers } from './list-trusted-issuers.ts';
import { updateTrustedIssuer } from './update-trusted-issuer.ts';

export const trustedIssuers = {
  list: listTrustedIssuers,
  get: getTrustedIssuer,
  create: createTrustedIssuer,
  update: updateTrustedIssuer,
  delete: deleteTrustedIssuer,
};
