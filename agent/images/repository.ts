import { isIP } from 'node:net';
import { Refusal } from '../program/refusal.ts';

const path = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const host = /^(?:[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?$/;

/** Where a repository is: `app` and `team/app` are Docker Hub's, as everywhere. */
export interface Repository {
  registry: URL;
  path: string;
}

export function repositoryOf(name: string, insecure: boolean): Repository {
  const [first = '', ...rest] = name.split('/');
  const named = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const registry = named ? first : 'docker.io';
  const inRegistry = named ? rest.join('/') : name;
  if (!host.test(registry) || !path.test(inRegistry) || inRegistry.length > 255) {
    throw new Refusal(`${JSON.stringify(name)} is not a repository; write it as registry.example.com/team/app.`);
  }
  const isHub = registry === 'docker.io' || registry === 'index.docker.io';
  const address = `https://${isHub ? 'registry-1.docker.io' : registry}/`;
  if (!URL.canParse(address)) throw new Refusal(`${JSON.stringify(registry)} is not the address of a registry.`);
  const url = new URL(address);
  if (insecure || isLoopback(url)) url.protocol = 'http:';
  // A port that is the other scheme's default was dropped when the address was read.
  if (url.protocol === 'http:' && registry.endsWith(':443')) url.port = '443';
  return { registry: url, path: isHub && !inRegistry.includes('/') ? `library/${inRegistry}` : inRegistry };
}

export function isLoopback({ hostname }: URL): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
