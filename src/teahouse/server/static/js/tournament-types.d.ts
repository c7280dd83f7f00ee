// Types of the messages about tournaments.
import type { Options, TimeControl } from "./protocol.js";

export type Format = "round_robin" | "swiss" | "arena";
export type Status = "open" | "running" | "finished" | "cancelled";

/** What never changes of a tournament. */
export interface TournamentRules {
  name: string;
  game: string;
  title: string;
  options: Options;
  time_control: TimeControl;
  format: Format;
  rounds: number;
  minutes: number;
  streaks: boolean;
  starts_at: number | null;
  starts_with: number | null;
  max_players: number;
  rated: boolean;
  private: boolean;
  password: boolean;
  bots: { level: number; players: number } | null;
  creator: string;
  created: number;
}

export interface TournamentPlayer {
  player: number;
  name: string;
  kind: "person" | "bot" | "level";
  account: string | null;
  level: number | null;
  rating: number | null;
}

/** A tournament in a list. */
export interface TournamentSummary extends TournamentRules {
  id: string;
  status: Status;
  moment: number;
  round: number;
  round_count: number;
  players: number;
  started: number | null;
  ended: number | null;
  ends: number | null;
  winners: (TournamentPlayer & { rank: number })[];
}

export interface StandingLine extends TournamentPlayer {
  rank: number;
  score: number;
  ties: number[];
  games: number;
  wins: number;
  draws: number;
  streak: number;
  playing: string | null;
  withdrawn: "left" | "absent" | null;
}

export interface TournamentGame {
  table: string;
  round: number;
  seats: [number, number];
  points: [number, number] | null;
  absent: number[];
}

export interface RoundBody {
  round: number;
  games: TournamentGame[];
  byes: number[];
  walkovers: [number, number][];
}

export interface TournamentBody {
  seq: number;
  now: number;
  tournament: TournamentRules & { id: string; creator_account: string | null };
  state: {
    status: Status;
    message: string | null;
    starts: number | null;
    next_round: number | null;
    started: number | null;
    ends: number | null;
    ended: number | null;
    round: number;
    round_count: number;
    open: boolean;
    closed_because: string | null;
  };
  tie_breaks: { key: string; name: string; help: string }[];
  standings: StandingLine[];
  games: TournamentGame[];
  byes: number[];
  walkovers: [number, number][];
}
