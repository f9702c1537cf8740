import { describe, expect, it } from "vitest";
import type { Settled } from "../src/bridge/protocol";
import type { Source, Why } from "../src/bridge/types";
import { outcomeWords } from "../src/state/outcome";

const options = [{ id: "allow", name: "Yes", kind: "allow_once" }];

function words(ended: Settled, source: Source = "claude-hook"): string {
  const { head, rest } = outcomeWords(ended, { agent: { name: "Claude Code" }, source, options });
  return `${head} ${rest}`;
}

describe("outcome words", () => {
  it("names the choice and its delivery", () => {
    const chosen = { end: "answered", outcome: { selected: "allow" }, by: "person" } as const;
    expect(words({ ...chosen, delivered: "yes" })).toBe("You chose “Yes”. Delivered.");
    expect(words({ ...chosen, delivered: "pending" })).toBe("You chose “Yes”. On its way to Claude Code.");
    expect(words({ ...chosen, amended: true, delivered: "yes" })).toBe("You chose “Yes” with your version. Delivered.");
    expect(words({ ...chosen, delivered: "no" })).toBe("You chose “Yes”; it was not delivered. The agent ended before the answer reached it.");
    expect(words({ ...chosen, delivered: "yes", applied: true })).toBe("You chose “Yes”. Delivered. Applied.");
    expect(words({ ...chosen, delivered: "yes", applied: false })).toBe("You chose “Yes”. Delivered. Not applied.");
  });
  it("never says a time-out was a no", () => {
    expect(words({ end: "answered", outcome: "abstained", why: "deadline" }))
      .toBe("Handed back, time was up. Claude Code’s own prompt asks now. Nobody said no.");
    expect(words({ end: "answered", outcome: "abstained", why: "person" }))
      .toBe("Handed back by you. Claude Code’s own prompt asks now.");
  });
  it("says where it was answered", () => {
    const elsewhere = { end: "withdrawn", outcome: null, why: "elsewhere" } as const;
    expect(words(elsewhere)).toBe("Answered in the terminal. Nothing was sent from Doorward.");
    expect(words(elsewhere, "acp")).toBe("Answered in the editor. Nothing was sent from Doorward.");
  });
  it("tells withdrawals apart", () => {
    const whys: Why[] = ["cancelled", "connection_lost", "turn_ended", "retired"];
    const all = whys.map((why) => words({ end: "withdrawn", outcome: null, why }));
    expect(new Set(all).size).toBe(4);
    expect(all[0]).toBe("Withdrawn. Claude Code took the request back.");
  });
});
