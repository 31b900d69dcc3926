/** For two images of one name, only their tags or digests. */
export function imagesApart(before: string, after: string): readonly [string, string] {
  const [name] = /^.*[^:@/](?=[:@][^:@/]*$)/.exec(before) ?? [];
  const isSame = name !== undefined && after.startsWith(name) &&
    /^[:@]/.test(after.slice(name.length));
  return isSame ? [before.slice(name.length + 1), after.slice(name.length + 1)] : [before, after];
}
