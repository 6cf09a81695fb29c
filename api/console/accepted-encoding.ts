/** Which of these encodings a browser takes, the first of ours that it does; `Accept-Encoding` as in RFC 9110, 12.5.3. */
export function acceptedEncoding<Name extends string>(header: string, ours: readonly Name[]): Name | undefined {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  return ours.find((name) => (weights.get(name) ?? weights.get('*') ?? 0) > 0);
}
