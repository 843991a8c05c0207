import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { SourceError } from "../../core/source.ts";

/** From where an IP address can be reached: this machine, its link (where clouds have their metadata), a private network, or anywhere. */
export type Reach = "machine" | "link" | "private" | "public";

const LISTS: readonly (readonly [reach: Reach, subnets: readonly string[]])[] = [
  ["machine", ["127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"]],
  ["link", ["169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128"]],
  [
    "private",
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15"].concat(
      // Several receivers at once, and what is reserved.
      ["224.0.0.0/3", "ff00::/8", "fc00::/7", "fec0::/10"],
      // These hold IPv4 addresses of any kind.
      ["64:ff9b::/32", "2002::/16", "2001::/32", "::/96", "::ffff:0:0:0/96"],
    ),
  ],
];

const lists = LISTS.map(([reach, subnets]) => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = "", bits] = subnet.split("/");
    list.addSubnet(net, Number(bits), net.includes(":") ? "ipv6" : "ipv4");
  }
  return { reach, list };
});

/** An IP address's reach; an IPv6 address that stands for an IPv4 address has the reach of the IPv4 address. */
export function reachOf(ip: string): Reach {
  const family = isIP(ip) === 6 ? "ipv6" : "ipv4";
  return lists.find(({ list }) => list.check(ip.replace(/%.*$/, ""), family))?.reach ?? "public";
}

/** Whether a server of one reach may redirect to one of another: to a public server, or to one of its own reach. */
export const mayLead = (from: Reach, to: Reach): boolean => to === "public" || to === from;

/** The error for a redirection that is not followed. */
export const notFollowed = (name: string, host: string) =>
  new SourceError(
    `${name}: the server redirects to ${host}, which is on this machine or in a private network; give that address itself if you trust it`,
  );

/** Looks a name up for a redirection by a server of the reach `from`. Fails if such a server may not lead to an address of the name. */
export function lookupFrom(from: Reach, name: string): LookupFunction {
  return (host, options, done) => {
    lookup(host, options, (error, found, family) => {
      const all = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
      const refused = !error && all.some((ip) => !mayLead(from, reachOf(ip)));
      done(refused ? notFollowed(name, host) : error, found, family);
    });
  };
}
