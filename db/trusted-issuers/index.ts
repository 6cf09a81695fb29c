import { ExchangedTokenSchema, TrustedIssuerSchema } from './trusted-issuer.ts';

export const trustedIssuers = [TrustedIssuerSchema, ExchangedTokenSchema] as const;
