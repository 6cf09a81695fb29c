import { exchangeToken } from './exchange-token.ts';

export const tokenExchange = { exchange: exchangeToken };
