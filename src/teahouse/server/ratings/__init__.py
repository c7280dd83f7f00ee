"""Ratings of accounts: one scale for each pool, on which the bots stand with their strength.

Glicko-2 rates games of two single players, OpenSkill games of three sides and of teams. All numbers
are points of the levels' scale: 400 points are odds of 10 : 1, and level 1 stands at 0.
"""
