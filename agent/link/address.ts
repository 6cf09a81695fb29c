import { Refusal } from '../program/refusal.ts';

/** The address of a control plane, fit to send a credential to: https, or http that never leaves this machine. */
export function controlPlaneAddress(text: string): URL {
  if (!URL.canParse(text))
    throw new Refusal(`"${text}" is not an address; give one such as https://ballast.example.com.`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Refusal(
      `${url.protocol}//${url.host} would carry the credential in clear; give an https address (http only for this machine itself).`,
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Refusal(
      'The address of a control plane has no user, no password, no query and no fragment; leave them out.',
    );
  }
  return url;
}

export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  );
}
