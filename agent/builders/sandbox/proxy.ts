/** The way out of a sandbox. */
export { openProxy, type Proxy } from '../../../outbound/proxy.ts';
