// Messages of wire protocol 2 (docs/protocol.md), for the type checker.

export interface Piece {
  kind: string;
  player: number | null;
  count: number;
}

export interface LegalMove {
  move: string;
  /** Sequences of spots and choices to click, the simplest first. */
  click_paths: string[][];
  description: string;
}

/** For every name that can be clicked next, the names after it, or the move that it completes. */
export interface ClickTree {
  [name: string]: ClickTree | string;
}

export interface PlayedMove {
  move: string;
  player: number;
  description: string;
}

export interface PieceAnimation {
  piece: Piece;
  path: string[];
  motion: "slide" | "jump" | "turn";
  /** Steps of other pieces to wait for. */
  delay: number;
}

export interface LastMove extends PlayedMove {
  click_path: string[];
  animations: PieceAnimation[];
}

export interface Choice {
  name: string;
  label: string;
  disabled: boolean;
  svg: string;
}

export interface Hand {
  name: string;
  player: number;
  label: string;
  piece: Piece;
  captured: boolean;
  svg: string;
}

/** The number that decides the game for a player; players of a team have the same one. */
export interface Score {
  player: number;
  value: string;
  /** What it counts, as a sentence. */
  label: string;
  /** The hand whose number it is, or "". */
  hand: string;
}

/** A position, ready to be shown. */
export interface Snapshot {
  game: string;
  options: Options;
  ply: number;
  position: string;
  player: number | null;
  prompt: string;
  colours: string[];
  hands: Hand[];
  choices: Choice[];
  /** Empty while there is nothing to compare. */
  scores: Score[];
  /** The spots that decided a finished game. */
  deciding: string[];
  svg: string;
  text: string;
  /** Empty if there are too many: then `click_tree` has them. */
  legal: LegalMove[];
  click_tree: ClickTree | null;
  last: LastMove | null;
  over: boolean;
  winners: number[];
  result: string;
  result_text: string | null;
  /** Why the game ended, as a sentence without the result. */
  result_reason: string | null;
}

export type OptionValue = string | number | boolean | null;
export type Options = Record<string, OptionValue>;

export interface OptionInfo {
  name: string;
  kind: "int" | "bool" | "choice" | "text";
  default: OptionValue;
  min: number | null;
  max: number | null;
  choices: string[] | null;
  choice_labels?: string[] | null;
  /** Whether a text may have several lines. */
  multiline: boolean;
  examples: string[] | null;
  label: string;
  help: string;
  allowed: string;
  /** Whether the options of tables and records name it only if it differs from its default. */
  house_rule: boolean;
}

/** A bot's level; ratings are given where they have been measured. */
export interface Level {
  level: number;
  name: string;
  /** Number, name and rating, as players read them. */
  label: string;
  rateable: boolean;
  elo?: number;
  low?: number;
  high?: number;
  seconds?: number;
}

export interface GameInfo {
  name: string;
  title: string;
  summary: string;
  players: string[];
  teams: number[][];
  options: OptionInfo[];
  levels: Level[];
}

/** The answer of POST /api/setup. */
export interface Setup {
  game: string;
  title: string;
  options: Options;
  /** For each option of kind choice, those that fit the options before it. */
  choices: Record<string, string[]>;
  /** For each option with a drawing, its lines as they are now. */
  drawings: Record<string, string>;
  players: string[];
  teams: number[][];
  levels: Level[];
  snapshot: Snapshot;
}

export type SeatChoice =
  | { kind: "local" | "remote"; name: string | null }
  | { kind: "bot"; level: number };

export type TimeControl =
  | { kind: "none" }
  | { kind: "realtime"; seconds: number; increment: number }
  | { kind: "correspondence"; days: number };

/** The body of POST /api/tables. */
export interface NewTable {
  game: string;
  options?: Options;
  start?: string;
  seats: SeatChoice[];
  time_control?: TimeControl;
  listed?: boolean;
  rated?: boolean;
}

export interface CreatedTable {
  id: string;
  seats: { seat: number; secret: string }[];
}

export type OfferKind = "takeback" | "draw" | "resign" | "rematch";

export interface Offer {
  offer: OfferKind;
  seat: number;
  ply: number;
  agreed: number[];
  awaiting: number[];
  /** Until those who have agreed can start without the others; null if all have to agree. */
  startable_in_ms: number | null;
}

export interface Seat {
  kind: "local" | "remote" | "bot";
  name: string | null;
  level: number | null;
  /** A bot's level as players read it. */
  label: string | null;
  /** Whether a bot plays on for the person who had the seat. */
  left: boolean;
  joined: boolean;
  online: boolean;
  /** The account that plays the seat; null for guests and the computer. */
  account: AccountBody | null;
  /** The account's rating; null for guests, the computer, and games without ratings. */
  rating: SeatRating | null;
  /** Unix time until which their days stand still; null unless they are on vacation. */
  vacation_until: number | null;
}

/** A rating now, or before a game that was rated. */
export interface SeatRating {
  value: number;
  deviation: number;
  /** Whether the player's strength is hardly known yet. */
  provisional: boolean;
  /** The level that it matches: "about level 5". */
  level: string;
  /** What the game has changed; null until it is rated. */
  change: number | null;
}

/** A game of a player's profile. */
export interface ProfileGame {
  id: string;
  game: string;
  title: string;
  over: boolean;
  ply: number;
  result_reason: string | null;
  rated: boolean;
  tournament: string | null;
  /** The names of the seats. */
  seats: string[];
  players: { name: string | null; account: boolean; bot: boolean }[];
  /** The seat of the profile's player. */
  seat: number;
  outcome: "won" | "lost" | "drawn" | null;
  /** Points of rating; null if the game was not rated. */
  change: number | null;
  updated: number;
}

/** GET /api/players/NAME/games. */
export interface ProfileGames {
  games: ProfileGame[];
  /** The key of the next page, for `before`. */
  next: string | null;
}

export interface Clock {
  /** Milliseconds by seat; null for seats without a clock. */
  remaining_ms: (number | null)[];
  running: number | null;
  at: number;
  /** Unix time from which the running seat loses time again, if its player is on vacation. */
  paused_until: number | null;
}

/** A game of POST /api/waiting. */
export interface WaitingGame extends FoundStatus {
  time_control?: "none" | "realtime" | "correspondence";
  /** Unix time at which the days of the player to move are over. */
  deadline?: number | null;
  /** The board, for the first games if boards were asked for. */
  svg?: string;
}

/** The answer of GET /api/notifications. */
export interface NotificationSettings {
  feed: boolean;
  /** Null if the server sends no e-mail. */
  email: { address: string | null; verified: boolean; kinds: string[]; minutes: number } | null;
  vacation: Vacation;
}

export interface Vacation {
  until: number | null;
  days_left: number;
  days_a_year: number;
}

/** The answer of POST /api/tables/ID/conditional. */
export interface ConditionalMoves {
  seat: number;
  ply: number;
  /** Moves of all players from the current position on. */
  lines: string[][];
  /** Who plays each of these moves. */
  players: number[][];
  /** The plies of moves that were played for the player. */
  played: number[];
}

export interface TableInfo {
  id: string;
  game: string;
  title: string;
  options: Options;
  players: string[];
  teams: number[][];
  created: number;
  time_control: TimeControl;
  listed: boolean;
  rated: boolean;
  tournament: string | null;
}

/** Why bots are not at their best. */
export interface BotStatus {
  /** The percentage that is prepared, or null. */
  preparing: number | null;
  /** Whether they wait for other tables that have only bots. */
  waiting: boolean;
}

/** The pace of a game between bots. */
export interface Pace {
  /** Moves by the normal pace; null for as fast as possible. */
  speed: number | null;
  paused: boolean;
}

/** What changes while a game is played; sent with every update. */
export interface GameState {
  seats: Seat[];
  ply: number;
  player: number | null;
  over: boolean;
  result: string;
  winners: number[];
  reason: "resigned" | "agreed" | "timeout" | "aborted" | "absent" | "closed" | "failed" | null;
  /** Whom the start of the game waits for; null once it is under way, or without a limit. */
  start: { awaiting: number[]; remaining_ms: number } | null;
  result_text: string | null;
  /** Why the game ended, as a sentence without the result. */
  result_reason: string | null;
  offers: Offer[];
  /** Whether the computer may help: not in a live game between people. */
  help_allowed: boolean;
  bot_thinking: boolean;
  bot_status: BotStatus | null;
  /** How fast bots play against each other; null where people play. */
  pace: Pace | null;
  rematch: string | null;
  clock: Clock | null;
}

export interface ChatMessage {
  seq: number;
  seat: number;
  text: string;
  time: number;
}

interface BaseEvent {
  seq: number;
  time: number;
}

export type TableEvent = BaseEvent &
  (
    | { type: "created" }
    | { type: "joined"; seat: number }
    | { type: "renamed"; seat: number; name: string }
    | { type: "moved"; seat: number; ply: number; move: string; description: string; lag?: number }
    | { type: "offered"; seat: number; offer: OfferKind; ply: number }
    | { type: "responded"; seat: number; offer: OfferKind; accept: boolean }
    | { type: "took_back"; ply: number }
    | { type: "ended"; result: string; reason: string; seat: number | null }
    | { type: "replaced"; seat: number; level: number; reason: string }
    | { type: "chatted"; seat: number; text: string }
    | { type: "hint_used"; seat: number | null; ply: number }
    | { type: "paced"; speed: number | null; paused: boolean }
    | { type: "vacation"; seat: number; until: number | null }
    | { type: "rematched"; table: string; without: number[] }
  );

export interface TableMessage {
  type: "table";
  protocol: number;
  seq: number;
  your_seats: number[];
  spectators: number;
  table: TableInfo;
  state: GameState;
  moves: PlayedMove[];
  /** The latest messages. */
  chat: ChatMessage[];
  earlier_chat: boolean;
  snapshot: Snapshot;
}

export interface UpdateMessage {
  type: "update";
  seq: number;
  events: TableEvent[];
  state: GameState;
  snapshot?: Snapshot;
  /** In the first one after reconnecting: seats may have been taken by accounts meanwhile. */
  your_seats?: number[];
}

export interface SnapshotMessage {
  type: "snapshot";
  seq: number;
  snapshot: Snapshot;
}

/** What turns one snapshot into another one; ranges are of the value before. */
export interface SnapshotDiff {
  values: Partial<Snapshot>;
  edits: { svg: [number, number, string][] };
}

/** The difference to the last snapshot that was received. */
export interface SnapshotDiffMessage {
  type: "snapshot_diff";
  seq: number;
  diff: SnapshotDiff;
}

export interface PresenceMessage {
  type: "presence";
  online: boolean[];
  spectators: number;
}

export interface AckMessage {
  type: "ack";
  id: number;
  seq: number;
  duplicate?: boolean;
}

export interface ErrorBody {
  code: string;
  message: string;
  allowed?: string[] | null;
}

export interface ErrorMessage extends ErrorBody {
  type: "error";
  id: number | null;
}

/** The answer of POST /api/hint. */
export interface Hint {
  ply: number;
  best: string;
  click_path: string[];
  description: string;
  /** Expected score of the player to move, 0 to 1. */
  value: number;
  line: { move: string; player: number; description: string }[];
  /** Best first. */
  moves: HintMove[];
}

export interface HintMove {
  move: string;
  description: string;
  value: number;
  visits: number;
  proof: "win" | "loss" | "draw" | null;
}

export interface HintMessage extends Hint {
  type: "hint";
  id: number;
}

/** Messages that change what is known of a table. */
export type StateMessage = TableMessage | UpdateMessage | SnapshotMessage | PresenceMessage;
export type ServerMessage = StateMessage | AckMessage | ErrorMessage | HintMessage;

/** Commands, before the connection adds an id. */
export type Command =
  | { type: "play"; seat: number; ply: number; move: string }
  | { type: "offer"; seat: number; offer: OfferKind; ply?: number }
  | { type: "respond"; seat: number; offer: OfferKind; accept: boolean }
  | { type: "resign"; seat: number }
  | { type: "chat"; seat: number; text: string }
  | { type: "rename"; seat: number; name: string }
  | { type: "hint"; seat: number | null; ply: number; moves: string[] }
  | { type: "pace"; seat: number; speed: number | null; paused: boolean }
  | { type: "ping" };

/** The body of POST /api/explore and POST /api/hint. */
export interface ExploreRequest {
  game?: string;
  options?: Options;
  seed?: number;
  start?: string | null;
  moves?: string[];
  record?: string;
  ply?: number;
  /** Whether to show a record with an error up to there. */
  partial?: boolean;
}

/** The answer of POST /api/explore. */
export interface Explored {
  game: string;
  title: string;
  options: Options;
  seed: number | null;
  players: string[];
  teams: number[][];
  start: string;
  names: Record<string, string>;
  /** Comments by ply; 0 is before the first move. */
  comments: Record<string, string>;
  result: string;
  moves: PlayedMove[];
  ply: number;
  /** Where a record breaks off, if it does. */
  broken: { line: number; ply: number; reason: string } | null;
  snapshot: Snapshot;
  record: string;
}

/** A move of a study; `parent` is the index of the move before it, -1 for the start. */
export interface StudyMove extends PlayedMove {
  parent: number;
  comment: string;
}

/** The answer of GET /api/studies/ID and POST /api/study. */
export interface Study {
  title: string;
  game: string;
  game_title: string;
  options: Options;
  players: string[];
  teams: number[][];
  start: string;
  comment: string;
  nodes: StudyMove[];
  snapshot: Snapshot;
}

/** The answer of POST /api/studies. */
export interface CreatedStudy {
  id: string;
  /** Allows to change the study. */
  key: string;
}

/** A move in an opening, with the results of the games in which it was played. */
export interface OpeningMove {
  move: string;
  /** Moves that lead to a mirror image of the same position. */
  images: string[];
  games: number;
  /** Games won, by side. */
  wins: number[];
  draws: number;
  /** The move in words, as an instruction. */
  description: string;
}

/** The answer of POST /api/openings. */
export interface Openings {
  /** Whether the position belongs to the first `plies` moves, which are counted. */
  known: boolean;
  plies: number;
  /** The side to move. */
  side: number;
  /** The players of each side. */
  sides: string[][];
  bots: { games: number; players: string[]; moves: OpeningMove[] };
  /** The finished games on this server. */
  server: { games: number; moves: OpeningMove[] };
}

/** One of the engine's best lines. */
export interface AnalysisLine {
  move: string;
  click_path: string[];
  value: number;
  visits: number;
  proof: "win" | "loss" | "draw" | null;
  /** Moves until the game ends, if that is proven and the line shows it. */
  plies: number | null;
  line: PlayedMove[];
}

/** What the engine has found so far; sent by the socket /api/analysis. */
export interface AnalysisMessage {
  type: "analysis";
  id: number;
  done: boolean;
  value: number;
  /** The expected score of each side. */
  sides: number[];
  visits: number;
  settled: boolean;
  prepared: boolean;
  network: boolean;
  preparing: number | null;
  lines: AnalysisLine[];
}

/** An entry of a game's palette for setting up positions. */
export interface SetupTool {
  name: string;
  label: string;
  clicks: number;
  /** Whether the position is already as this button makes it; null for one that acts. */
  active: boolean | null;
  svg: string | null;
}

/** A game being played, in messages of the lobby. */
export interface LiveGame {
  id: string;
  game: string;
  title: string;
  names: string[];
  ply: number;
  to_move: string | null;
  rated: boolean;
  spectators: number;
  /** The board, compressed and in base64. */
  svg_gzip: string;
}

/** An account as everybody sees it. */
export interface AccountBody {
  id: string;
  name: string;
  kind: "person" | "bot";
}

export interface RatingBody {
  value: number;
  provisional: boolean;
}

export interface Visitor {
  name: string | null;
  account: AccountBody | null;
}

/** An open challenge. */
export interface Challenge {
  id: string;
  game: string;
  title: string;
  options: Options;
  /** Options that are not the defaults, in words. */
  option_words: string[];
  time_control: TimeControl;
  rated: boolean;
  listed: boolean;
  /** The challenger's seat; null if it is drawn. */
  seat: number | null;
  sides: string[];
  bots: { seat: number; level: number }[];
  players: Visitor[];
  places: number;
  rating: RatingBody | null;
  rating_range: [number, number] | null;
  /** The name of the account that is challenged; null for everybody. */
  to: string | null;
  created: number;
}

/** Body of POST /api/challenges. */
export interface NewChallenge {
  game: string;
  options: Options;
  time_control: TimeControl;
  seat: number | null;
  bots: { seat: number; level: number }[];
  rated: boolean;
  listed: boolean;
  rating_range: [number, number] | null;
  to: string | null;
  guest: { key: string; name: string | null };
}

/** One's own seat at a new table; all null while a challenge waits for others. */
export interface SeatAt {
  table: string | null;
  seat: number | null;
  secret: string | null;
}

export interface LobbyCounts {
  players: number;
  games: number;
  /** How many look for opponents, by game. */
  seeking: Record<string, number>;
}

/** A message of the lobby's socket. */
export type LobbyMessage =
  | {
      type: "welcome";
      you: Visitor;
      own_challenges: Challenge[];
      /** Ids of challenges of others that this visitor has joined. */
      joined: string[];
      incoming: Challenge[];
      games: OwnGame[];
    }
  | { type: "lobby"; protocol: 2; challenges: Challenge[]; games: LiveGame[]; counts: LobbyCounts }
  | {
      type: "changes";
      challenges?: { changed: Challenge[]; removed: string[] };
      games?: { changed: LiveGame[]; removed: string[] };
      counts?: LobbyCounts;
    }
  | { type: "own_challenge" | "challenge"; challenge: Challenge }
  | { type: "challenge_gone"; id: string; reason: string | null }
  | ({ type: "paired"; challenge: string | null } & SeatAt)
  | { type: "bot_offer"; game: string; level: number | null }
  | { type: "seek_ended"; reason: string }
  | ({ type: "game_begins" | "your_turn" } & OwnGame)
  | ({ type: "game_over"; result_text: string } & OwnGame)
  | { type: "ack"; id: number }
  | ErrorMessage;

/** A game of one's account, in messages of the lobby. */
export interface OwnGame {
  table: string;
  seat: number | null;
  game: string;
  title: string;
  ply: number;
  rated: boolean;
  tournament: string | null;
  /** In the first message only. */
  your_turn?: boolean;
}

/** One table in the answer of POST /api/status. */
export type TableStatus = { id: string; found: false } | FoundStatus;

export interface FoundStatus {
  id: string;
  found: true;
  game: string;
  title: string;
  players: string[];
  names: (string | null)[];
  ply: number;
  player: number | null;
  over: boolean;
  result: string;
  /** Why the game ended, as a sentence. */
  result_reason: string | null;
  reason: GameState["reason"];
  bots: number[];
  /** The ids of the accounts that play the seats; null for guests and the computer. */
  accounts: (string | null)[];
  your_seats: number[];
  /** A move or a response of yours is due. */
  your_turn: boolean;
  rematch: string | null;
  updated: number;
}

/** What is said to some moves of a lesson's step, and the moves played after them. */
export interface LessonAnswer {
  right: boolean;
  say: string;
  replies: string[];
  moves: string[];
}

/** The answer of GET /api/lessons/NAME/NUMBER. */
export interface LessonStep {
  number: number;
  name: string;
  say: string;
  ask: string;
  options: Options;
  players: string[];
  snapshot: Snapshot;
  answers: LessonAnswer[];
  /** What is said to any other move. */
  otherwise: string;
  /** A right move, for a player who does not find one. */
  shown: { click_path: string[]; description: string };
  /** The boards after some moves and the replies to them. */
  prepared: Record<string, Snapshot[]>;
}

/** The answer of POST /api/coach. */
export interface Coaching {
  /** On the moves that were sent. */
  remarks: string[];
  /** For the player's turn; empty if it is not theirs. */
  advice: string;
}

export interface PuzzleList {
  game: string;
  title: string;
  levels: Level[];
  themes: Record<string, string>;
  puzzles: { number: number; rating: number; themes: string[] }[];
}

export interface Puzzle {
  game: string;
  title: string;
  number: number;
  count: number;
  rating: number;
  difficulty: string;
  /** Options that are not the defaults, in words. */
  variant: string;
  task: string;
  options: Options;
  players: string[];
  player: number;
  snapshot: Snapshot;
}

export interface PuzzleVerdict {
  right: boolean;
  solved: boolean;
  say: string;
  snapshots: Snapshot[];
}

export interface PuzzleHint {
  click_path: string[];
  say: string;
}

export interface PuzzleSolution {
  moves: PlayedMove[];
  asked: number;
  say: string;
  themes: { name: string; label: string }[];
}

export type Proof = "win" | "loss" | "draw";
export type Grade = "best" | "fine" | "inaccuracy" | "mistake" | "blunder" | "forced";

export interface ReviewedMove {
  /** 1 for the first move. */
  number: number;
  player: number;
  move: string;
  /** Null until it has been compared with the best move. */
  grade: Grade | null;
  /** Winning chances that it gave away, 0 to 1. */
  loss: number;
  best: string | null;
  /** The best move and the expected continuation, where that is another move. */
  line: PlayedMove[];
  /** Proven result for its player after the move. */
  proof: Proof | null;
  /** Proven result for its player before the move. */
  missed: Proof | null;
}

export interface Review {
  /** Winning chance of each side in every position; null where it is not computed yet. */
  chances: (number[] | null)[];
  /** The side that wins by force in every position, -1 for a draw; null if unknown. */
  proven: (number | null)[];
  moves: ReviewedMove[];
  /** Of each player, 0 to 100; null for a player without a choice. */
  accuracy: (number | null)[];
  /** Numbers of the moves that gave away most. */
  mistakes: number[];
  complete: boolean;
  fraction: number;
}

/** The answer of POST /api/reviews and GET /api/reviews/ID. */
export interface ReviewStatus {
  status: "none" | "waiting" | "preparing" | "running" | "finished" | "failed";
  /** The percentage of the computer player that is prepared, or null. */
  preparing: number | null;
  revision: number;
  /** Missing if it has not changed since the revision that was asked for. */
  review?: Review;
}

/** The answer of POST /api/reviews/ID/retry. */
export interface RetryAnswer {
  grade: Grade;
  loss: number;
}

export interface AccountPasskey {
  id: string;
  name: string;
  /** The host name for which it was made. */
  host: string;
  synced: boolean;
  created: number;
  used: number | null;
}

export interface AccountSession {
  id: string;
  browser: string;
  created: number;
  used: number;
  current: boolean;
}

/** The answer of /api/account/security. */
export interface AccountSecurity {
  password: boolean;
  passkeys: AccountPasskey[];
  /** The number of codes that are left. */
  recovery_codes: number;
  sessions: AccountSession[];
}
