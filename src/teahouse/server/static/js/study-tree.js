// A tree of variations with comments, and the position in it that is shown.
import { post } from "./api.js";
import { GameTree } from "./game-tree.js";

/** @import { ExploreRequest, Options, PlayedMove, Snapshot, StudyMove } from "./protocol.js" */
/** @import { Step } from "./game-tree.js" */

let nextId = 1;

/** A move of a study, or its start. */
export class StudyNode {
  /** @type {StudyNode[]} */
  children = [];
  comment = "";
  /** @type {Snapshot | null} */
  snapshot = null;

  /**
   * @param {StudyNode | null} parent
   * @param {PlayedMove | null} played null for the start
   */
  constructor(parent, played) {
    this.id = nextId;
    nextId += 1;
    this.parent = parent;
    this.played = played;
  }

  /** The number of moves from the start. @returns {number} */
  get depth() {
    return this.parent ? this.parent.depth + 1 : 0;
  }

  /** The moves from the start to here. @returns {StudyNode[]} */
  get path() {
    return this.parent ? [...this.parent.path, this] : [];
  }

  /** Whether this is the first choice everywhere on its path. */
  get isMainline() {
    return this.path.every((node) => node.parent?.children[0] === node);
  }

  /** The number of moves from here on, with this one. @returns {number} */
  get size() {
    return this.children.reduce((sum, child) => sum + child.size, 1);
  }

  /** @param {string} move */
  child(move) {
    return this.children.find(({ played }) => played?.move === move) ?? null;
  }

  /** @param {PlayedMove} played */
  add(played) {
    const found = this.child(played.move);
    if (found) return found;
    const node = new StudyNode(this, played);
    this.children.push(node);
    return node;
  }
}

export class StudyTree extends GameTree {
  root = new StudyNode(null, null);
  current = this.root;
  /** The node whose position is shown. */
  shownNode = this.root;
  start = "";
  #selections = 0;

  /** @param {{ game: string, options: Options }} setup */
  constructor(setup) {
    super(() => Promise.reject(new Error("A study has no main line to load.")), setup);
  }

  /**
   * Replace the tree.
   * @param {Snapshot} snapshot of the start
   * @param {string} comment on the start
   * @param {StudyMove[]} moves parents before their children
   */
  load(snapshot, comment, moves) {
    this.start = snapshot.position;
    this.root = new StudyNode(null, null);
    this.root.snapshot = { ...snapshot, ply: 0 };
    this.root.comment = comment;
    /** @type {StudyNode[]} */
    const nodes = [];
    for (const { parent, comment: text, ...played } of moves) {
      const node = (nodes[parent] ?? this.root).add(played);
      node.comment = text;
      nodes.push(node);
    }
    this.current = this.shownNode = this.root;
    this.onchange();
  }

  /**
   * Return all moves, parents before their children and main lines first.
   * @returns {StudyMove[]}
   */
  get moves() {
    /** @type {StudyMove[]} */
    const found = [];
    /** @type {[StudyNode, number][]} */
    const stack = this.root.children.map((node) => /** @type {[StudyNode, number]} */ ([node, -1]));
    stack.reverse();
    for (let entry = stack.pop(); entry; entry = stack.pop()) {
      const [node, parent] = entry;
      if (node.played) found.push({ parent, ...node.played, comment: node.comment });
      for (const child of node.children.toReversed()) stack.push([child, found.length - 1]);
    }
    return found;
  }

  /** The main line. @returns {StudyNode[]} */
  get mainNodes() {
    const nodes = [];
    for (let [node] = this.root.children; node; [node] = node.children) nodes.push(node);
    return nodes;
  }

  /** @override */
  get atEnd() {
    return false; // the board always accepts moves
  }

  /** @override */
  get loading() {
    return this.shownNode !== this.current;
  }

  /** @override */
  get canGoBack() {
    return this.current.parent !== null;
  }

  /** @override */
  get canGoForward() {
    return this.current.children.length > 0;
  }

  /**
   * @override
   * @param {Step} step
   */
  step(step) {
    const { current } = this;
    if (step === "first") this.select(this.root);
    else if (step === "back" && current.parent) this.select(current.parent);
    else if (step === "forward" && current.children[0]) this.select(current.children[0]);
    else if (step === "last") {
      let node = current;
      while (node.children[0]) node = node.children[0];
      this.select(node);
    }
  }

  /**
   * Go to the variation before or after the current one.
   * @param {1 | -1} direction
   */
  switchVariation(direction) {
    const siblings = this.current.parent?.children ?? [];
    const next = siblings[siblings.indexOf(this.current) + direction];
    if (next) this.select(next);
    return next !== undefined;
  }

  /**
   * Show the position after a move.
   * @param {StudyNode} node
   */
  async select(node) {
    const forward = node.parent === this.current;
    this.current = node;
    this.#selections += 1;
    const selection = this.#selections;
    this.onchange();
    try {
      const snapshot = await this.snapshotOf(node);
      if (selection !== this.#selections) return;
      this.shownNode = node;
      this.onsnapshot(snapshot, forward);
    } catch (error) {
      if (selection === this.#selections) {
        this.current = this.shownNode;
        this.onchange();
      }
      this.onerror(error);
    }
  }

  /**
   * @param {StudyNode} node
   * @returns {Promise<Snapshot>}
   */
  async snapshotOf(node) {
    if (node.snapshot) return node.snapshot;
    const known = node.path.findLast(({ snapshot }) => snapshot) ?? null;
    const path = node.path.slice(known ? known.depth : 0);
    const start = known?.snapshot?.position ?? this.start;
    const moves = path.map(({ played }) => played?.move ?? "");
    const explored = await post("/api/explore", { ...this.setup, start, moves });
    const snapshot = /** @type {Snapshot} */ ({ ...explored.snapshot, ply: node.depth });
    node.snapshot = snapshot;
    if (node.played && snapshot.last) node.played.description = snapshot.last.description;
    this.onchange();
    return snapshot;
  }

  /**
   * Play a legal move of the snapshot that is shown.
   * @override
   * @param {string} move
   * @param {Snapshot} snapshot
   */
  play(move, snapshot) {
    const description = snapshot.legal.find((legal) => legal.move === move)?.description ?? move;
    return this.addLine([{ move, player: snapshot.player ?? 0, description }]);
  }

  /**
   * Add moves after the current position, and show the last of them.
   * @param {PlayedMove[]} line
   */
  addLine(line) {
    let node = this.current;
    for (const { move, player, description } of line)
      node = node.add({ move, player, description });
    return this.select(node);
  }

  /**
   * Prefer a move to the one before it among those of its position, or the nearest before it that
   * is not the first one.
   * @param {StudyNode} node
   */
  promote(node) {
    const branch = [node, ...node.path.toReversed()].find(
      (one) => one.parent && one.parent.children[0] !== one,
    );
    const siblings = branch?.parent?.children;
    if (!branch || !siblings) return false;
    const index = siblings.indexOf(branch);
    siblings.splice(index - 1, 2, siblings[index], siblings[index - 1]);
    this.onchange();
    return true;
  }

  /**
   * Delete a move and all that follows it.
   * @param {StudyNode} node
   */
  remove(node) {
    const { parent } = node;
    if (!parent) return;
    parent.children = parent.children.filter((child) => child !== node);
    if (this.current === node || this.current.path.includes(node)) this.select(parent);
    else this.onchange();
  }

  /**
   * @param {StudyNode} node
   * @param {string} comment
   */
  comment(node, comment) {
    node.comment = comment;
    this.onchange();
  }

  /**
   * @override
   * @returns {Promise<ExploreRequest>}
   */
  async currentRequest() {
    const { position } = await this.snapshotOf(this.current);
    return { ...this.setup, start: position };
  }
}
